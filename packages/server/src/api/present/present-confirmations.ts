/** The confirmations of a transaction as JSON: those that made it final, or else those that this node sees now. */
import {
  assessInclusion,
  type ChainView,
  type Confirmation,
  type Finality,
  listConfirmations,
} from '../../core/chain/finality.ts'
import { inclusionOf, type Transaction } from '../../core/transaction/transaction.ts'
import type { ConfirmationsResource } from '../contract/resources/confirmations-resource.ts'
import { presentFinality } from '../contract/values/finality.ts'
import { countConfirmations } from './count-confirmations.ts'

export function presentConfirmations(
  tx: Transaction,
  finality: Finality,
  view: ChainView | null,
): ConfirmationsResource {
  return {
    required: presentFinality(finality),
    count: countConfirmations(tx, view),
    final: 'confirmations' in tx,
    newForks: 'newForks' in tx ? tx.newForks : 0,
    items: listItems(tx, finality, view).map(({ blockNumber, blockHash }) => ({ blockNumber, blockHash })),
  }
}

function listItems(tx: Transaction, finality: Finality, view: ChainView | null): readonly Confirmation[] {
  if ('confirmations' in tx) return tx.confirmations
  const inclusion = inclusionOf(tx)
  if (inclusion === null || view === null) return []
  const { type } = assessInclusion(inclusion, view, finality)
  // Headers prove something about a block only if its own header is known to be below them.
  return type === 'waiting' || type === 'final' ? listConfirmations(inclusion.blockNumber, view, finality) : []
}
