/** How many blocks are on top of a transaction, from what is stored and what this node sees. */
import type { ChainView } from '../../core/chain/finality.ts'
import { inclusionOf, type Transaction } from '../../core/transaction/transaction.ts'

/** A node that just started may be behind what is stored. A transaction that was final is never shown as less. */
export function countConfirmations(tx: Transaction, view: ChainView | null): number {
  const inclusion = inclusionOf(tx)
  if (inclusion === null) return 0
  const stored = 'confirmations' in tx ? tx.confirmations.length : 0
  if (view === null || hasOtherBlock(view, inclusion)) return stored
  return Math.max(stored, view.head.number - inclusion.blockNumber)
}

/** The chain has already reorged the block away, and the transaction will follow. */
function hasOtherBlock(view: ChainView, at: { readonly blockNumber: number; readonly blockHash: string }): boolean {
  const canonical = view.header(at.blockNumber)
  return canonical !== null && canonical.hash !== at.blockHash
}
