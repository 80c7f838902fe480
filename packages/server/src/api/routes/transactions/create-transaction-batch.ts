/** `POST /v1/transactions/batch`: accepts many intents, each on its own merits. */
import { z } from 'zod'
import { AppError } from '../../../core/app-error.ts'
import type { AcceptRequest } from '../../../engine/accept/accept-request.ts'
import type { ApiServices } from '../../api-services.ts'
import {
  batchKeyInput,
  MAX_BATCH_BYTES,
  type TransactionBatchResource,
  transactionBatchRequest,
  transactionBatchResource,
} from '../../contract/requests/transaction-batch.ts'
import { transactionRequest } from '../../contract/requests/transaction-request.ts'
import { parseInput } from '../../parse-input.ts'
import { presentProblem, toAppError } from '../../present/present-problem.ts'
import { presentTransaction } from '../../present/present-transaction.ts'
import { defineRoute, NO_INPUT } from '../../route.ts'
import { IDEMPOTENCY_KEY } from '../idempotency-key.ts'

type Result = TransactionBatchResource['results'][number]

export const createTransactionBatch = defineRoute(
  { ...NO_INPUT, headers: z.object({ [IDEMPOTENCY_KEY]: batchKeyInput.optional() }), body: transactionBatchRequest },
  {
    operationId: 'createTransactionBatch',
    method: 'POST',
    path: '/v1/transactions/batch',
    summary: 'Send up to 1,000 transactions. Returns one result for each, in order',
    scope: 'send',
    maxBodyBytes: MAX_BATCH_BYTES,
    answers: [
      {
        status: 200,
        description:
          'The result for each item: its stored transaction, or its problem. One bad item does not fail the others.',
        schema: transactionBatchResource,
      },
    ],
    errors: [],
  },
  async ({ body, headers, disconnected }, services, caller) => {
    const gone = disconnected()
    services.access.chargeItems(caller, body.transactions.length)
    const batchKey = headers[IDEMPOTENCY_KEY] ?? null
    const items = await services.pieces.map(caller.tenant, body.transactions, (item, index) =>
      readItem(item, batchKey === null ? null : `${batchKey}:${index}`),
    )
    const requests = items.flatMap((item) => (item instanceof AppError ? [] : [item]))
    const answers = await services.acceptBatch(requests, gone)
    const answerTo = new Map(requests.map((request, place) => [request, answers[place]]))
    const results = await services.pieces.map(caller.tenant, items, (item) =>
      item instanceof AppError ? refuse(item, services) : present(answerTo.get(item), services),
    )
    return { status: 200, body: { results: limitIssues(results) } }
  },
)

/** The request, or why it is invalid. */
function readItem(item: unknown, defaultKey: string | null): AcceptRequest | AppError {
  try {
    const request = parseInput(transactionRequest, item)
    return { ...request, requestId: request.requestId ?? defaultKey }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return error
  }
}

type Answer = Awaited<ReturnType<ApiServices['acceptBatch']>>[number]

function present(answer: Answer | undefined, services: ApiServices): Result {
  if (answer === undefined) throw new Error('a request of a batch has no answer')
  if (answer.status === 'rejected') return refuse(answer.reason, services)
  const { type, transaction } = answer.value
  return { status: type === 'accepted' ? 202 : 200, transaction: presentTransaction(transaction, services) }
}

function refuse(reason: unknown, { telemetry }: ApiServices): Result {
  const error = toAppError(reason)
  if (error.code === 'internal') {
    const stack = reason instanceof Error ? reason.stack : String(reason)
    telemetry.log('error', 'batch item failed: bug in Drover', { stack })
  }
  const problem = presentProblem(error)
  return { status: problem.status, problem }
}

const MAX_ISSUES = 20

/** Each item says what is wrong with it in `detail`; the issue lists are bounded for the whole response. */
function limitIssues(results: readonly Result[]): readonly Result[] {
  let left = MAX_ISSUES
  return results.map((result) => {
    if (!('problem' in result) || result.problem.issues === undefined) return result
    const { issues, more = 0, ...problem } = result.problem
    const kept = issues.slice(0, left)
    const dropped = more + issues.length - kept.length
    left -= kept.length
    return {
      ...result,
      problem: { ...problem, issues: kept, ...(dropped > 0 && { more: dropped }) } as typeof result.problem,
    }
  })
}
