/**
 * Request ids belong to the tenant: a look-up by request id finds only the tenant's own transactions, and those from before
 * the first key. Otherwise another tenant that uses the same id would change what the look-up finds. Operators find all.
 */
import { type Caller, hasScope } from '../../core/access/caller.ts'
import type { ApiStore } from '../api-services.ts'

export function limitRequestIds(store: ApiStore, caller: Caller): ApiStore {
  const { tenant } = caller
  if (tenant === null || hasScope(caller, 'operate') || hasScope(caller, 'admin')) return store
  return {
    ...store,
    listTransactions: (filter, page) => {
      const isById = filter.requestId !== undefined || filter.requestIdPrefix !== undefined
      return store.listTransactions(isById ? { ...filter, requestsOf: tenant } : filter, page)
    },
  }
}
