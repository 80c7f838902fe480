/** `GET /v1/transactions/{id}/confirmations`: the blocks on top of a transaction. */
import { z } from 'zod'
import { confirmationsResource } from '../../contract/resources/confirmations-resource.ts'
import { transactionKeyParam } from '../../contract/values/query.ts'
import { getTransaction } from '../../lookup/get-transaction.ts'
import { presentConfirmations } from '../../present/present-confirmations.ts'
import { defineRoute, NO_INPUT } from '../../route.ts'

export const showConfirmations = defineRoute(
  { ...NO_INPUT, params: z.strictObject({ id: transactionKeyParam }) },
  {
    operationId: 'showConfirmations',
    method: 'GET',
    path: '/v1/transactions/{id}/confirmations',
    summary: 'Show the confirmations of a transaction',
    scope: 'read',
    answers: [{ status: 200, description: 'The confirmations.', schema: confirmationsResource }],
    errors: ['not_found'],
  },
  async ({ params }, services) => {
    const transaction = await getTransaction(services.store, params.id)
    const { lane, finality } = transaction.intent
    const rule = finality ?? services.finalityOf(lane)
    return { status: 200, body: presentConfirmations(transaction, rule, services.viewOf(lane.chainId)) }
  },
)
