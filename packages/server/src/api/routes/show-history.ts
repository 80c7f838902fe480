/** `GET /v1/transactions/{id}/history`: everything that happened to a transaction, oldest first. */
import { z } from 'zod'
import { history } from '../contract/event-resource.ts'
import { transactionKeyParam } from '../contract/query.ts'
import { getTransaction } from '../get-transaction.ts'
import { presentEvent } from '../present-event.ts'
import { defineRoute, NO_INPUT } from '../route.ts'

export const showHistory = defineRoute(
  { ...NO_INPUT, params: z.strictObject({ id: transactionKeyParam }) },
  {
    operationId: 'showHistory',
    method: 'GET',
    path: '/v1/transactions/{id}/history',
    summary: 'Show what happened to a transaction',
    scope: 'read',
    answers: [{ status: 200, description: 'Its history, oldest first.', schema: history }],
    errors: ['not_found'],
  },
  async ({ params }, { store }) => {
    const { id } = await getTransaction(store, params.id)
    const entries = await store.readHistory(id)
    return { status: 200, body: { items: entries.map(presentEvent) } }
  },
)
