/** A transaction without the fields that its next state does not have. */
import type { InFlight, Queued, Transaction } from './transaction.ts'

/** What remains of a transaction that takes a nonce or gives it up. */
export function withoutPlace(tx: InFlight | Queued) {
  const { id, intent, version, suspended, createdAt, attempts } = tx
  return withOrigin({ id, intent, version, suspended, createdAt, attempts }, tx)
}

type OriginField = 'keyId' | 'approval'
type Origin = { readonly [Field in OriginField]?: Transaction[Field] | undefined }

/** Adds what only some transactions have: the key that sent it, and its approval. */
export function withOrigin<T extends object>(to: T, { keyId, approval }: Origin): T & Pick<Transaction, OriginField> {
  const named: T & Pick<Transaction, OriginField> = keyId === undefined ? to : { ...to, keyId }
  return approval === undefined ? named : { ...named, approval }
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
