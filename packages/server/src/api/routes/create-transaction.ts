/** `POST /v1/transactions`: accepts an intent. */
import { z } from 'zod'
import { AppError } from '../../core/app-error.ts'
import { requestIdInput, transactionRequest } from '../contract/transaction-request.ts'
import { transactionResource } from '../contract/transaction-resource.ts'
import { presentTransaction } from '../present-transaction.ts'
import { defineRoute, NO_INPUT } from '../route.ts'

const IDEMPOTENCY_KEY = 'idempotency-key'

export const createTransaction = defineRoute(
  {
    ...NO_INPUT,
    headers: z.object({
      [IDEMPOTENCY_KEY]: requestIdInput.optional().meta({ description: 'The same as `requestId` in the body.' }),
    }),
    body: transactionRequest,
  },
  {
    operationId: 'createTransaction',
    method: 'POST',
    path: '/v1/transactions',
    summary: 'Accept an intent: it is durable when the answer comes',
    answers: [
      { status: 202, description: 'Accepted and stored.', schema: transactionResource },
      { status: 200, description: 'The same request was accepted before.', schema: transactionResource },
    ],
    errors: ['idempotency_conflict', 'unknown_signer', 'unknown_chain', 'transaction_rejected', 'queue_full'],
  },
  async ({ body, headers }, services) => {
    const requestId = agreeOnRequestId(body.requestId, headers[IDEMPOTENCY_KEY] ?? null)
    const { type, transaction } = await services.accept({ ...body, requestId })
    return {
      status: type === 'accepted' ? 202 : 200,
      headers: { location: `/v1/transactions/${transaction.id}` },
      body: presentTransaction(transaction, services),
    }
  },
)

function agreeOnRequestId(inBody: string | null, inHeader: string | null): string | null {
  if (inBody !== null && inHeader !== null && inBody !== inHeader) {
    const message = 'requestId and the header Idempotency-Key are both given and differ; give one, or the same twice.'
    throw new AppError('invalid_request', message, { field: 'requestId' })
  }
  return inBody ?? inHeader
}
