/** `GET /v1/transactions/{id}/attempts`: every byte string signed for a transaction, oldest first. */
import { z } from 'zod'
import { attemptList } from '../../contract/resources/transaction-resource.ts'
import { transactionKeyParam } from '../../contract/values/query.ts'
import { getTransaction } from '../../lookup/get-transaction.ts'
import { presentAttempt } from '../../present/present-attempt.ts'
import { defineRoute, NO_INPUT } from '../../route.ts'

export const listAttempts = defineRoute(
  { ...NO_INPUT, params: z.strictObject({ id: transactionKeyParam }) },
  {
    operationId: 'listAttempts',
    method: 'GET',
    path: '/v1/transactions/{id}/attempts',
    summary: 'List the attempts of a transaction, including the signed bytes',
    scope: 'read',
    answers: [{ status: 200, description: 'The attempts, oldest first.', schema: attemptList }],
    errors: ['not_found'],
  },
  async ({ params }, { store }) => {
    const { attempts } = await getTransaction(store, params.id)
    return { status: 200, body: { items: attempts.map(presentAttempt) } }
  },
)
