/** `GET /v1/transactions/{id}`: one transaction, by its id or by the hash of any attempt. */
import { z } from 'zod'
import { transactionKeyParam } from '../contract/query.ts'
import { transactionResource } from '../contract/transaction-resource.ts'
import { getTransaction } from '../get-transaction.ts'
import { presentTransaction } from '../present-transaction.ts'
import { defineRoute, NO_INPUT } from '../route.ts'

export const showTransaction = defineRoute(
  { ...NO_INPUT, params: z.strictObject({ id: transactionKeyParam }) },
  {
    operationId: 'showTransaction',
    method: 'GET',
    path: '/v1/transactions/{id}',
    summary: 'Show a transaction',
    answers: [{ status: 200, description: 'The transaction.', schema: transactionResource }],
    errors: ['not_found'],
  },
  async ({ params }, services) => {
    const transaction = await getTransaction(services.store, params.id)
    return { status: 200, body: presentTransaction(transaction, services) }
  },
)
