/** Finds the transaction in a path, by its id or by the hash of any attempt. */
import { AppError } from '../../core/app-error.ts'
import type { Transaction } from '../../core/transaction/transaction.ts'
import type { ApiStore } from '../api-services.ts'
import type { TransactionKey } from '../contract/values/query.ts'

type Finders = Pick<ApiStore, 'findTransaction' | 'findTransactionByHash'>

export async function getTransaction(store: Finders, key: TransactionKey): Promise<Transaction> {
  const found = key.type === 'id' ? await store.findTransaction(key.id) : await store.findTransactionByHash(key.hash)
  if (found !== null) return found
  const what = key.type === 'id' ? `id ${key.id}` : `an attempt with hash ${key.hash}`
  throw new AppError('not_found', `There is no transaction with ${what}.`, { field: 'id' })
}
