/** `GET /v1/transactions`: pages of transactions in the order of acceptance, from either end. */
import { z } from 'zod'
import { SUB_STATES } from '../../../core/transaction/transaction.ts'
import type { TransactionFilter } from '../../../ports/store.ts'
import { requestIdInput } from '../../contract/requests/transaction-request.ts'
import { transactionPage } from '../../contract/resources/transaction-resource.ts'
import { addressInput } from '../../contract/values/address.ts'
import { hashInput } from '../../contract/values/bytes.ts'
import { instantInput } from '../../contract/values/instant.ts'
import {
  cursorParam,
  integerParam,
  metadataParam,
  orderParam,
  pageLimitParam,
  statesParam,
} from '../../contract/values/query.ts'
import { presentTransaction } from '../../present/present-transaction.ts'
import { defineRoute, NO_INPUT } from '../../route.ts'

const query = z.strictObject({
  chainId: integerParam(1, Number.MAX_SAFE_INTEGER).optional(),
  from: addressInput.optional(),
  state: statesParam.optional(),
  subState: z
    .enum(SUB_STATES, { error: `must be one of ${SUB_STATES.join(', ')}` })
    .optional()
    .meta({ description: 'Only transactions in this sub-state, e.g. `awaiting_approval`.' }),
  to: addressInput.optional(),
  requestId: requestIdInput.optional().meta({
    description: 'Finds requests of your own tenant; with `operate` or `admin`, of all.',
  }),
  requestIdPrefix: requestIdInput
    .optional()
    .meta({ description: 'Only transactions whose request id starts with this, as with `requestId`.' }),
  metadata: metadataParam.optional(),
  hash: hashInput.optional(),
  nonce: integerParam(0, Number.MAX_SAFE_INTEGER).optional(),
  since: instantInput.optional().meta({ description: 'Only transactions accepted at or after this time.' }),
  until: instantInput.optional().meta({ description: 'Only transactions accepted before this time.' }),
  order: orderParam('desc'),
  limit: pageLimitParam,
  after: cursorParam.optional(),
})

export const listTransactions = defineRoute(
  { ...NO_INPUT, query },
  {
    operationId: 'listTransactions',
    method: 'GET',
    path: '/v1/transactions',
    summary: 'List transactions in order of acceptance, with filters, page by page',
    scope: 'read',
    answers: [{ status: 200, description: 'One page.', schema: transactionPage }],
    errors: [],
  },
  async ({ query: { limit, after, order, ...filters } }, services, { tenant }) => {
    const page = await services.store.listTransactions(formFilter(filters), { after: after ?? null, limit, order })
    const items = await services.pieces.map(tenant, page.items, (transaction) =>
      presentTransaction(transaction, services),
    )
    return { status: 200, body: { items, next: page.next } }
  },
)

function formFilter(filters: Omit<z.output<typeof query>, 'limit' | 'after' | 'order'>): TransactionFilter {
  const { state, ...rest } = filters
  const given = Object.entries(rest).filter(([, value]) => value !== undefined)
  return { ...Object.fromEntries(given), ...(state !== undefined && { states: state }) }
}
