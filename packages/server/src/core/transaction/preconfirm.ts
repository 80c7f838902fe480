/**
 * A preconfirmation is a node's promise: a receipt of ours in a block that is still being built. It is told, and nothing is
 * concluded from it: it is no inclusion, counts no confirmation and ends nothing. What is STUCK stays so until a block holds
 * it, since an alarm that falls silent at a promise has to be raised again when that is broken; and what an operator holds
 * back stays marked as held back.
 */
import { move, type Step, stay } from './step.ts'
import { type Allocated, findAttempt, type InFlight, isPreconfirmed, type Tracking } from './transaction.ts'
import type { TxEvent } from './tx-event.ts'

/** In no block, and free to be told as part of the next one. */
export function mayBePreconfirmed(tx: InFlight): tx is Allocated | Tracking {
  if (tx.state === 'STUCK' || tx.suspended) return false
  return tx.state === 'ALLOCATED' || tx.inclusion === null
}

export function preconfirm(tx: InFlight, event: Extract<TxEvent, { type: 'preconfirmation.seen' }>): Step {
  if (!mayBePreconfirmed(tx) || isPreconfirmed(tx) || findAttempt(tx, event.hash) === null) return stay(tx)
  const { at, hash, blockNumber, succeeded } = event
  const held = { submittedAt: tx.submittedAt ?? at, mayBeHeld: true } as const
  const told = { ...held, error: null, refusals: 0, inclusion: null, minedAt: null } as const
  return move(
    { ...tx, ...told, state: 'TRACKING', subState: 'preconfirmed' },
    { type: event.type, cause: null, detail: { hash, blockNumber, succeeded } },
  )
}

/** The same bytes are due at once: whoever promised them may have lost them. */
export function losePreconfirmation(tx: InFlight, event: Extract<TxEvent, { type: 'preconfirmation.lost' }>): Step {
  if (!isPreconfirmed(tx)) return stay(tx)
  const { at, blockNumber } = event
  return move(
    { ...tx, subState: 'stale', nextResubmitAt: at },
    { type: event.type, cause: null, detail: { nonce: tx.nonce, blockNumber } },
  )
}
