/** One look at the chain for every mined transaction of a lane: final, withdrawn, or on a new fork. */
import { assessInclusion, type ChainView, listConfirmations } from '../../core/chain/finality.ts'
import { type FinalityOf, finalityOfInclusion } from '../../core/chain/finality-rules.ts'
import { inclusionOf, type TxId } from '../../core/transaction/transaction.ts'
import type { LaneDraft } from '../lane/lane-draft.ts'

export interface AssessScene {
  readonly view: ChainView
  /** Lowest height whose block changed; null if the chain only grew. */
  readonly forkFrom: number | null
  readonly at: number
  readonly finalityOf: FinalityOf
  /** Deeper than what is known of the chain: it has to be looked up. */
  lookUp(txId: TxId): void
}

export function assessInclusions(draft: LaneDraft, { view, forkFrom, at, finalityOf, lookUp }: AssessScene): void {
  for (const tx of draft.inFlight()) {
    const inclusion = inclusionOf(tx)
    if (inclusion === null) continue
    const { blockHash } = inclusion
    const finality = finalityOfInclusion(tx, finalityOf)
    const status = assessInclusion(inclusion, view, finality)
    if (status.type === 'reorged') {
      draft.apply(tx, { type: 'inclusion.reorged', at, blockHash })
      continue
    }
    if (status.type === 'unknown') {
      lookUp(tx.id)
      continue
    }
    if (forkFrom !== null && inclusion.blockNumber < forkFrom) {
      const confirmations = listConfirmations(inclusion.blockNumber, view, finality)
      draft.apply(tx, { type: 'confirmations.replaced', at, blockHash, confirmations })
    }
    if (status.type === 'final') {
      draft.apply(tx, { type: 'finality.reached', at, blockHash, confirmations: status.confirmations })
    }
  }
}
