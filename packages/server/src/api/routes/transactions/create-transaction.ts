/** `POST /v1/transactions`: accepts an intent. */
import { transactionRequest } from '../../contract/requests/transaction-request.ts'
import { waitQuery } from '../../contract/requests/wait.ts'
import { transactionResource } from '../../contract/resources/transaction-resource.ts'
import { answerWhenThere } from '../../lookup/answer-when-there.ts'
import { defineRoute, NO_INPUT } from '../../route.ts'
import { agreeOnRequestId, idempotencyHeaders } from '../idempotency-key.ts'

export const createTransaction = defineRoute(
  {
    ...NO_INPUT,
    headers: idempotencyHeaders,
    query: waitQuery,
    body: transactionRequest,
  },
  {
    operationId: 'createTransaction',
    method: 'POST',
    path: '/v1/transactions',
    summary: 'Send a transaction. It is stored durably before the response is sent',
    scope: 'send',
    answers: [
      { status: 202, description: 'Accepted and stored.', schema: transactionResource },
      { status: 200, description: 'The same request was already accepted.', schema: transactionResource },
    ],
    errors: [
      'idempotency_conflict',
      'transaction_deleted',
      'unknown_signer',
      'unknown_chain',
      'transaction_rejected',
      'refused_by_rule',
      'queue_full',
      'too_many_waiting',
    ],
  },
  ({ body, headers, query, disconnected }, services) => {
    const requestId = agreeOnRequestId(body.requestId, headers)
    return answerWhenThere(services, { query, disconnected, purpose: 'send' }, async () => {
      const { type, transaction } = await services.accept({ ...body, requestId })
      const location = `/v1/transactions/${transaction.id}`
      return { status: type === 'accepted' ? 202 : 200, headers: { location }, transaction }
    })
  },
)
