/** How far a transaction has come for a waiting caller. */
import { assessStage, type Stage } from './stage-table.ts'
import { inclusionOf, type Transaction } from './transaction.ts'

export type WaitStage = Exclude<Stage, 'final'>

/** `ended`: it is final without having reached the stage, or cannot advance by itself. Waiting longer does not help. */
export type WaitProgress = ReturnType<typeof assessStage>

export function assessWait(tx: Transaction, stage: WaitStage): WaitProgress {
  const inclusion = inclusionOf(tx)
  const facts = {
    state: tx.state,
    isSigned: tx.attempts.length > 0,
    isSubmitted: 'submittedAt' in tx && tx.submittedAt !== null,
    mined: inclusion === null ? null : inclusion.succeeded ? ('success' as const) : ('reverted' as const),
  }
  return assessStage(facts, stage)
}
