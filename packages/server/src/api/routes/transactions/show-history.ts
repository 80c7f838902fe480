/** `GET /v1/transactions/{id}/history`: what happened to a transaction, page by page, from either end. */
import { z } from 'zod'
import { historyPage } from '../../contract/resources/event-resource.ts'
import { integerParam, orderParam, pageLimitParam, transactionKeyParam } from '../../contract/values/query.ts'
import { getTransaction } from '../../lookup/get-transaction.ts'
import { presentEvent } from '../../present/present-event.ts'
import { defineRoute, NO_INPUT } from '../../route.ts'

export const showHistory = defineRoute(
  {
    ...NO_INPUT,
    params: z.strictObject({ id: transactionKeyParam }),
    query: z.strictObject({
      order: orderParam('asc'),
      after: integerParam(0, Number.MAX_SAFE_INTEGER)
        .optional()
        .meta({ description: '`next` from the previous page.' }),
      limit: pageLimitParam,
    }),
  },
  {
    operationId: 'showHistory',
    method: 'GET',
    path: '/v1/transactions/{id}/history',
    summary: 'Show the history of a transaction, page by page',
    scope: 'read',
    answers: [{ status: 200, description: 'One page of the history.', schema: historyPage }],
    errors: ['not_found'],
  },
  async ({ params, query: { order, after = null, limit } }, { store }) => {
    const { id } = await getTransaction(store, params.id)
    const entries = await store.readHistory(id, { order, after, limit: limit + 1 })
    const shown = entries.slice(0, limit)
    const next = entries.length > limit ? (shown.at(-1)?.eventId ?? null) : null
    return { status: 200, body: { items: shown.map(presentEvent), next } }
  },
)
