/** How far a transaction has come, in the steps that a person follows it by. */
import type { Transaction } from '@drover/client'

export interface Step {
  readonly name: string
  readonly reached: boolean
  /** What is known about it; empty before it is reached. */
  readonly detail: string
}

export function listSteps(tx: Transaction): readonly Step[] {
  const { nonce, hash, attempts, inclusion, confirmations } = tx
  const isSent = tx.submittedAt !== null || inclusion !== null
  const tries = attempts > 1 ? ` (attempt ${attempts})` : ''
  const isFinal = tx.finalAt !== null
  const enough = typeof confirmations.required === 'number' ? confirmations.count >= confirmations.required : isFinal
  return [
    { name: 'accepted', reached: true, detail: tx.id },
    { name: 'nonce', reached: nonce !== null, detail: nonce === null ? '' : String(nonce) },
    { name: 'sent', reached: isSent, detail: isSent ? `${hash ?? ''}${tries}` : '' },
    { name: 'mined', reached: inclusion !== null, detail: describeBlock(tx) },
    {
      name: 'confirmations',
      reached: inclusion !== null && (enough || isFinal),
      detail: inclusion === null ? '' : describeConfirmations(tx),
    },
    { name: 'final', reached: isFinal, detail: isFinal ? tx.state : '' },
  ]
}

function describeBlock({ inclusion, receipt }: Transaction): string {
  if (inclusion === null) return ''
  return `block ${inclusion.blockNumber}${receipt?.status === 'reverted' ? ', reverted' : ''}`
}

function describeConfirmations({ confirmations: { count, required, newForks } }: Transaction): string {
  const goal = typeof required === 'number' ? `${Math.min(count, required)}/${required}` : `${count}, until ${required}`
  return newForks === 0 ? goal : `${goal} (${newForks} forks)`
}

export const WAIT_STAGES = ['submitted', 'mined', 'confirmed'] as const
export type WaitStage = (typeof WAIT_STAGES)[number]

export type Verdict = 'waiting' | 'reached' | 'failed'

/** A reverted one has failed as soon as it is mined only for those who wait for no more than that: a fork may still save it. */
export function judge(tx: Transaction, until: WaitStage): Verdict {
  if (['FAILED_FINAL', 'CANCELLED', 'EXPIRED', 'STUCK'].includes(tx.state)) return 'failed'
  if (tx.state === 'CONFIRMED') return 'reached'
  if (until === 'mined' && tx.receipt?.status === 'reverted') return 'failed'
  if (until === 'mined' && tx.inclusion !== null && tx.receipt !== null) return 'reached'
  const isSent = tx.state !== 'QUEUED' && (tx.submittedAt !== null || tx.inclusion !== null)
  return until === 'submitted' && isSent ? 'reached' : 'waiting'
}
