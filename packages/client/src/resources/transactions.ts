/** Transactions: sent, found and listed. */

import type { Operations, Transaction, TransactionPage } from '../generated/api-types.ts'
import { DroverError } from '../transport/drover-error.ts'
import type { CallOptions } from '../transport/operation.ts'
import { type Intent, spellTime, toRequest } from './intent.ts'
import { createTransactionHandle, type HandlePorts, type TransactionHandle } from './transaction-handle.ts'

type Query = Operations['GET /v1/transactions']['query']

/** All given filters must match. */
export type TransactionFilter = Omit<Query, 'state' | 'since' | 'until' | 'metadata' | 'order' | 'after' | 'limit'> & {
  readonly state?: Transaction['state'] | readonly Transaction['state'][]
  /** Accepted at or after. */
  readonly since?: string | Date
  /** Accepted before. */
  readonly until?: string | Date
  /** One pair in their metadata. */
  readonly metadata?: { readonly key: string; readonly value: string }
}

export interface PageOptions extends CallOptions {
  /** `next` of the page before. */
  readonly after?: string
  /** At most 200. */
  readonly limit?: number
  /** By acceptance: `desc`, newest first, unless said otherwise. */
  readonly order?: 'asc' | 'desc'
}

export interface ListOptions extends CallOptions {
  /** How many are fetched at a time; at most 200. */
  readonly pageSize?: number
  /** By acceptance: `desc`, newest first, unless said otherwise. */
  readonly order?: 'asc' | 'desc'
}

export interface Transactions {
  /** By id, or by the hash of any of its attempts. Fails with `not_found`. */
  get(idOrHash: string, options?: CallOptions): Promise<TransactionHandle>
  /** Like `get`, but null if there is none. */
  find(idOrHash: string, options?: CallOptions): Promise<TransactionHandle | null>
  /** All matches in the order of acceptance, newest first, fetched page by page as you iterate. */
  list(filter?: TransactionFilter, options?: ListOptions): AsyncIterableIterator<TransactionHandle>
  /** One page as plain data. */
  page(filter?: TransactionFilter, options?: PageOptions): Promise<TransactionPage>
}

export function createSend(ports: HandlePorts) {
  return async (intent: Intent, options?: CallOptions): Promise<TransactionHandle> => {
    const body = toRequest(intent)
    return createTransactionHandle(ports, await ports.request('POST /v1/transactions', { body }, options))
  }
}

export function createTransactions(ports: HandlePorts): Transactions {
  const get: Transactions['get'] = async (id, options) =>
    createTransactionHandle(ports, await ports.request('GET /v1/transactions/{id}', { params: { id } }, options))

  const page: Transactions['page'] = (filter = {}, { after, limit, order, signal } = {}) => {
    const { state, since, until, metadata, ...rest } = filter
    const query = {
      ...rest,
      ...(state !== undefined && { state: [state].flat().join(',') }),
      ...(since !== undefined && { since: spellTime(since) }),
      ...(until !== undefined && { until: spellTime(until) }),
      ...(metadata !== undefined && { metadata: `${metadata.key}=${metadata.value}` }),
      ...(order !== undefined && { order }),
      ...(after !== undefined && { after }),
      ...(limit !== undefined && { limit }),
    }
    return ports.request('GET /v1/transactions', { query }, { signal })
  }

  return {
    get,
    page,
    async find(id, options) {
      try {
        return await get(id, options)
      } catch (error) {
        if (error instanceof DroverError && error.code === 'not_found') return null
        throw error
      }
    },
    async *list(filter = {}, { pageSize = 100, order, signal } = {}) {
      for (let after: string | null | undefined; after !== null; ) {
        const options = { limit: pageSize, signal, ...(order && { order }), ...(after !== undefined && { after }) }
        const { items, next } = await page(filter, options)
        for (const item of items) yield createTransactionHandle(ports, item)
        after = next
      }
    },
  }
}
