/** A wait ended before its transaction reached the stage. */
import type { WaitStage } from '../../core/transaction/wait-stage.ts'
import type { TransactionResource } from '../contract/resources/transaction-resource.ts'

/**
 * `ended`: it reverted, ended in another way, or is stuck. `timeout`: it continues. `stopping`: this node stops, and the
 * transaction continues on another node, or on this one after its next start.
 */
export type WaitOutcome = 'ended' | 'timeout' | 'stopping'

const MEANING: Readonly<Record<WaitOutcome, string>> = {
  ended: 'it will not get there by itself',
  timeout: 'the time is over; Drover continues with it',
  stopping: 'this node is stopping; Drover continues with it after the next start, or on another node',
}

export class WaitEnded extends Error {
  override readonly name = 'WaitEnded'
  readonly outcome: WaitOutcome
  /** As it was when the wait ended. */
  readonly transaction: TransactionResource

  constructor(outcome: WaitOutcome, stage: WaitStage, transaction: TransactionResource) {
    const { id, state, subState, error } = transaction
    const why = error === null ? '' : ` ${error.message}`
    super(`Transaction ${id} is ${state} (${subState}), not ${stage}: ${MEANING[outcome]}.${why}`)
    this.outcome = outcome
    this.transaction = transaction
  }
}
