/** Reads a hook's answer. Anything but a known decision is an error that says so. */
import { isHex } from '../core/hex.ts'
import type { StuckDecision } from '../ports/stuck-hook.ts'

const MAX_REASON_LENGTH = 500

export function parseStuckDecision(answer: unknown): StuckDecision {
  if (typeof answer !== 'object' || answer === null || !('action' in answer))
    throw refuse('it is not an object with an action')
  const { action } = answer
  if (action === 'wait') return { action }
  if (!isKnown(action)) throw refuse(`its action is not one of wait, ${ACTIONS.join(', ')}`)
  const reason = 'reason' in answer && typeof answer.reason === 'string' ? answer.reason.trim() : ''
  if (reason === '' || reason.length > MAX_REASON_LENGTH)
    throw refuse(`its reason is not text of 1 to ${MAX_REASON_LENGTH} characters`)
  if (action !== 'resolve') return { action, reason }
  if (!('hash' in answer) || answer.hash === undefined || answer.hash === null) return { action, reason }
  const hash = typeof answer.hash === 'string' ? answer.hash.toLowerCase() : ''
  if (!isHex(hash) || hash.length !== 66) throw refuse('its hash is not the hash of a transaction')
  return { action, reason, hash }
}

const ACTIONS = ['retry', 'bump', 'cancel', 'resolve', 'requeue', 'close'] as const

function isKnown(action: unknown): action is (typeof ACTIONS)[number] {
  return ACTIONS.some((known) => known === action)
}

function refuse(why: string): Error {
  return new Error(`the stuck hook gave an invalid answer: ${why}`)
}
