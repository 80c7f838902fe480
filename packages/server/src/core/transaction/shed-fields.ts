/** A transaction without the fields that its next state does not have. */
import type { InFlight, Queued } from './transaction.ts'

/** What remains of a transaction that takes a nonce or gives it up. */
export function withoutPlace(tx: InFlight | Queued) {
  const { id, intent, version, suspended, createdAt, attempts, keyId, approval } = tx
  const kept = { ...(keyId !== undefined && { keyId }), ...(approval !== undefined && { approval }) }
  return { id, intent, version, suspended, createdAt, attempts, ...kept }
}

export function withoutStuck<T extends InFlight>(tx: T): Omit<T, 'stuckAt'> {
  if (tx.state !== 'STUCK') return tx
  const { stuckAt: _, ...rest } = tx
  return rest as Omit<T, 'stuckAt'>
}

export function withoutInclusion(tx: InFlight) {
  if (tx.state !== 'TRACKING') return tx
  const { inclusion: _, minedAt: __, ...rest } = tx
  return rest
}
