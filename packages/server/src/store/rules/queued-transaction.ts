/** A transaction as it is when accepted. */
import type { Queued } from '../../core/transaction/transaction.ts'
import type { NewTransaction } from '../../ports/store.ts'

export function toQueued({ id, intent }: NewTransaction, createdAt: number): Queued {
  return {
    id,
    intent,
    version: 1,
    state: 'QUEUED',
    subState: 'accepted',
    error: null,
    suspended: false,
    createdAt,
    attempts: [],
    retryAt: null,
    prepareFailures: 0,
  }
}
