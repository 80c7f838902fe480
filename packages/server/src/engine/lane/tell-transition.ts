/** Tells the metrics what a stored save did to its transaction: only what is durable counts as having happened. */
import { isTerminal, type Transaction, type TxState } from '../../core/transaction/transaction.ts'
import type { TxSave } from '../../ports/store.ts'
import type { Telemetry } from '../../ports/telemetry.ts'

/** How a nonce may end. What never had one ends too, but not on the chain. */
const RESULTS: Readonly<Partial<Record<TxState, string>>> = {
  CONFIRMED: 'confirmed',
  FAILED_FINAL: 'failed',
  CANCELLED: 'cancelled',
}

export function tellTransition(telemetry: Telemetry, { before, tx, notes }: TxSave): void {
  const labels = { chainId: tx.intent.lane.chainId }
  const included = notes.some((note) => note.type === 'inclusion.seen')
  if (before.state !== tx.state) telemetry.count('drover_transitions_total', { from: before.state, to: tx.state })
  if (included) telemetry.count('drover_finality_total', { result: 'included' })
  if (notes.some((note) => note.type === 'inclusion.reorged'))
    telemetry.count('drover_finality_total', { result: 'reorged' })
  for (const { type } of notes) {
    if (type === 'preconfirmation.seen') telemetry.count('drover_preconfirmations_total', { result: 'seen' })
    if (type === 'preconfirmation.lost') telemetry.count('drover_preconfirmations_total', { result: 'lost' })
  }
  // After a reorganisation it is the chain's time that would be measured, not ours.
  if (included && 'minedAt' in tx && tx.minedAt !== null && tx.newForks === 0)
    telemetry.observe('drover_time_to_inclusion_seconds', secondsSince(tx, tx.minedAt), labels)
  if (isTerminal(tx) && tx.nonce !== null) {
    telemetry.count('drover_finality_total', { result: RESULTS[tx.state] })
    telemetry.observe('drover_time_to_finality_seconds', secondsSince(tx, tx.finalAt), labels)
  }
}

/** Two clocks that are kept in step may still differ by a little. */
function secondsSince(tx: Transaction, at: number): number {
  return Math.max(0, at - tx.createdAt) / 1_000
}
