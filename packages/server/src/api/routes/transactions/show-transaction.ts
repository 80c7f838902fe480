/** `GET /v1/transactions/{id}`: one transaction, by its id or by the hash of any attempt. */
import { z } from 'zod'
import { waitQuery } from '../../contract/requests/wait.ts'
import { transactionResource } from '../../contract/resources/transaction-resource.ts'
import { transactionKeyParam } from '../../contract/values/query.ts'
import { answerWhenThere } from '../../lookup/answer-when-there.ts'
import { getTransaction } from '../../lookup/get-transaction.ts'
import { defineRoute, NO_INPUT } from '../../route.ts'

export const showTransaction = defineRoute(
  { ...NO_INPUT, params: z.strictObject({ id: transactionKeyParam }), query: waitQuery },
  {
    operationId: 'showTransaction',
    method: 'GET',
    path: '/v1/transactions/{id}',
    summary: 'Show a transaction, now or when it reaches the stage you wait for',
    scope: 'read',
    answers: [{ status: 200, description: 'The transaction.', schema: transactionResource }],
    errors: ['not_found', 'too_many_waiting'],
  },
  (input, services) =>
    answerWhenThere(services, { ...input, purpose: 'look' }, async () => ({
      status: 200,
      transaction: await getTransaction(services.store, input.params.id),
    })),
)
