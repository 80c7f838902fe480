/** `GET /v1/transactions/{id}/explain`: why a transaction is where it is, in plain words. */
import { z } from 'zod'
import { explanationResource } from '../../contract/resources/explanation-resource.ts'
import { transactionKeyParam } from '../../contract/values/query.ts'
import { explainTransaction } from '../../lookup/explain-transaction.ts'
import { getTransaction } from '../../lookup/get-transaction.ts'
import { presentExplanation } from '../../present/present-explanation.ts'
import { defineRoute, NO_INPUT } from '../../route.ts'

export const showExplanation = defineRoute(
  { ...NO_INPUT, params: z.strictObject({ id: transactionKeyParam }) },
  {
    operationId: 'explainTransaction',
    method: 'GET',
    path: '/v1/transactions/{id}/explain',
    summary: 'Explain why a transaction is where it is, what happens next, and what you can do',
    scope: 'read',
    answers: [{ status: 200, description: 'The explanation.', schema: explanationResource }],
    errors: ['not_found'],
  },
  async ({ params }, services) => {
    const transaction = await getTransaction(services.store, params.id)
    const [explanation, revertReason] = await Promise.all([
      explainTransaction(transaction, services),
      services.readRevert(transaction),
    ])
    return { status: 200, body: presentExplanation(explanation, revertReason) }
  },
)
