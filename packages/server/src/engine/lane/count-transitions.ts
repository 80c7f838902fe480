/** Reports to the metrics what a stored save did to its transaction: only what is durable counts as having happened. */
import { findAttempt, isTerminal, type Transaction, type TxState } from '../../core/transaction/transaction.ts'
import type { TxSave } from '../../ports/lane-write.ts'
import type { Fields, Telemetry } from '../../ports/telemetry.ts'

/** How a nonce may end. A transaction that never had one ends too, but not on the chain. */
const RESULTS: Readonly<Partial<Record<TxState, string>>> = {
  CONFIRMED: 'confirmed',
  FAILED_FINAL: 'failed',
  CANCELLED: 'cancelled',
}

export function countTransitions(telemetry: Telemetry, saves: readonly TxSave[]): void {
  const tally = createTally()
  for (const save of saves) countTransition(telemetry, save, tally)
  tally.report(telemetry)
}

type Tally = ReturnType<typeof createTally>

/** Many saves of one write do the same: each kind is counted once, with its number. */
function createTally() {
  const counts = new Map<string, { readonly metric: string; readonly labels: Fields; by: number }>()
  return {
    count(metric: string, labels: Fields, by = 1): void {
      const key = [metric, ...Object.values(labels)].join(' ')
      const count = counts.get(key)
      if (count === undefined) counts.set(key, { metric, labels, by })
      else count.by += by
    },
    report(telemetry: Pick<Telemetry, 'count'>): void {
      for (const { metric, labels, by } of counts.values()) telemetry.count(metric, labels, by)
    },
  }
}

function countTransition(telemetry: Telemetry, { before, tx, notes }: TxSave, tally: Tally): void {
  const labels = { chainId: tx.intent.lane.chainId }
  const included = notes.some((note) => note.type === 'inclusion.seen')
  if (before.state !== tx.state) tally.count('drover_transitions_total', { from: before.state, to: tx.state })
  if (included) tally.count('drover_finality_total', { result: 'included' })
  if (notes.some((note) => note.type === 'inclusion.reorged'))
    tally.count('drover_finality_total', { result: 'reorged' })
  for (const { type } of notes) {
    if (type === 'preconfirmation.seen') tally.count('drover_preconfirmations_total', { result: 'seen' })
    if (type === 'preconfirmation.lost') tally.count('drover_preconfirmations_total', { result: 'lost' })
  }
  // After a reorg this would measure the chain's time, not ours.
  if (included && 'minedAt' in tx && tx.minedAt !== null && tx.newForks === 0)
    telemetry.observe('drover_time_to_inclusion_seconds', secondsSince(tx, tx.minedAt), labels)
  if (isTerminal(tx) && tx.nonce !== null) {
    const result = RESULTS[tx.state]
    const { txHash, gasUsed, effectiveGasPrice } = tx.inclusion
    tally.count('drover_finality_total', { result })
    // If a transaction that Drover did not sign had the same effect, its fee is not ours.
    if (findAttempt(tx, txHash) !== null)
      tally.count('drover_fees_wei_total', { ...labels, result }, Number(gasUsed * effectiveGasPrice))
    telemetry.observe('drover_time_to_finality_seconds', secondsSince(tx, tx.finalAt), labels)
  }
}

/** Two synchronised clocks may still differ slightly. */
function secondsSince(tx: Transaction, at: number): number {
  return Math.max(0, at - tx.createdAt) / 1_000
}
