/** A transaction as it is when accepted. */
import type { Queued } from '../../core/transaction/transaction.ts'
import type { NewTransaction } from '../../ports/store.ts'

export function toQueued(entry: Omit<NewTransaction, 'by'>, createdAt: number): Queued {
  const { id, intent, keyId, approval } = entry
  return {
    id,
    intent,
    version: 1,
    state: 'QUEUED',
    subState: approval !== undefined ? 'awaiting_approval' : intent.notBefore !== undefined ? 'scheduled' : 'accepted',
    error: null,
    suspended: false,
    createdAt,
    attempts: [],
    retryAt: null,
    prepareFailures: 0,
    ...(keyId !== undefined && { keyId }),
    ...(approval !== undefined && { approval }),
  }
}
