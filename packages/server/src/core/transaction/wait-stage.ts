/** How far a transaction has to come for somebody who waits for it. */
import { inclusionOf, isTerminal, type Transaction } from './transaction.ts'

export const WAIT_STAGES = ['submitted', 'mined', 'confirmed'] as const
/** `signed` is for who needs the hash and no more: it is known, and durable, before anything is sent. */
export type WaitStage = 'signed' | (typeof WAIT_STAGES)[number]

/** `ended`: it is final without having come that far, or cannot advance by itself; to wait longer is of no use. */
export type WaitProgress = 'reached' | 'ended' | 'waiting'

export function assessWait(tx: Transaction, stage: WaitStage): WaitProgress {
  if (hasReached(tx, stage)) return 'reached'
  return isTerminal(tx) || tx.state === 'STUCK' ? 'ended' : 'waiting'
}

function hasReached(tx: Transaction, stage: WaitStage): boolean {
  if (tx.state === 'CANCELLED' || tx.state === 'EXPIRED') return false
  switch (stage) {
    case 'signed':
      return tx.attempts.length > 0
    case 'submitted':
      return inclusionOf(tx) !== null || ('submittedAt' in tx && tx.submittedAt !== null)
    case 'mined':
      return inclusionOf(tx) !== null
    case 'confirmed':
      return tx.state === 'CONFIRMED' || tx.state === 'FAILED_FINAL'
  }
}
