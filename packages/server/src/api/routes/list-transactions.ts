/** `GET /v1/transactions`: pages of transactions, newest first. */
import { z } from 'zod'
import type { TransactionFilter } from '../../ports/store.ts'
import { addressInput } from '../contract/address.ts'
import { hashInput } from '../contract/bytes.ts'
import { instantInput } from '../contract/instant.ts'
import { cursorParam, integerParam, pageLimitParam, statesParam } from '../contract/query.ts'
import { requestIdInput } from '../contract/transaction-request.ts'
import { transactionPage } from '../contract/transaction-resource.ts'
import { presentTransaction } from '../present-transaction.ts'
import { defineRoute, NO_INPUT } from '../route.ts'

const query = z.strictObject({
  chainId: integerParam(1, Number.MAX_SAFE_INTEGER).optional(),
  from: addressInput.optional(),
  state: statesParam.optional(),
  requestId: requestIdInput.optional(),
  hash: hashInput.optional(),
  nonce: integerParam(0, Number.MAX_SAFE_INTEGER).optional(),
  since: instantInput.optional(),
  limit: pageLimitParam,
  after: cursorParam.optional(),
})

export const listTransactions = defineRoute(
  { ...NO_INPUT, query },
  {
    operationId: 'listTransactions',
    method: 'GET',
    path: '/v1/transactions',
    summary: 'List transactions, filtered, page by page',
    scope: 'read',
    answers: [{ status: 200, description: 'One page.', schema: transactionPage }],
    errors: [],
  },
  async ({ query: { limit, after, ...filters } }, services) => {
    const page = await services.store.listTransactions(formFilter(filters), { after: after ?? null, limit })
    const items = page.items.map((transaction) => presentTransaction(transaction, services))
    return { status: 200, body: { items, next: page.next } }
  },
)

function formFilter(filters: Omit<z.output<typeof query>, 'limit' | 'after'>): TransactionFilter {
  const { chainId, from, state, requestId, hash, nonce, since } = filters
  return {
    ...(chainId !== undefined && { chainId }),
    ...(from !== undefined && { from }),
    ...(state !== undefined && { states: state }),
    ...(requestId !== undefined && { requestId }),
    ...(hash !== undefined && { hash }),
    ...(nonce !== undefined && { nonce }),
    ...(since !== undefined && { since }),
  }
}
