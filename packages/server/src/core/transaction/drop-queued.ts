/** Ends a transaction that never got a nonce. */
import type { Dropped, Queued, TxError } from './transaction.ts'

export function dropQueued(
  tx: Queued,
  state: Dropped['state'],
  subState: Dropped['subState'],
  error: TxError | null,
  at: number,
): Dropped {
  const { retryAt: _, prepareFailures: __, hasRules: ___, ...base } = tx
  return { ...base, state, subState, error, nonce: null, finalAt: at }
}
