/**
 * Many intents in few requests. Each has a request id before anything is sent, so a part whose response was lost is
 * sent again unchanged, and an intent that the service had no room for is sent again alone. Each is carried out once.
 */

import { delay } from '../transport/delay.ts'
import { DroverError } from '../transport/drover-error.ts'
import type { Answer, CallOptions } from '../transport/operation.ts'
import { isPassing, nextDelayMs, type RetryPolicy } from '../transport/retry.ts'
import { detailsOf } from '../transport/spell-failure.ts'
import { type BatchItem, prepareItem, splitItems } from './batch-items.ts'
import type { Intent } from './intent.ts'
import { createTransactionHandle, type HandlePorts, type TransactionHandle } from './transaction-handle.ts'

/** The result of one intent. With its request id you can send it again without it being carried out twice. */
export type BatchResult =
  | {
      readonly type: 'accepted'
      readonly requestId: string
      /** It had been accepted before. */
      readonly repeated: boolean
      readonly transaction: TransactionHandle
    }
  | {
      readonly type: 'failed'
      readonly requestId: string
      /**
       * `item`: the service refused this intent. `request`: the whole request failed, which says nothing about this
       * intent.
       */
      readonly scope: 'item' | 'request'
      readonly error: DroverError
    }

export interface BatchOptions extends CallOptions {
  /** Called after every request with how many intents have their result. */
  onProgress?(settled: number, all: number): void
}

export interface BatchPorts extends HandlePorts {
  readonly retry: RetryPolicy
}

const OPERATION = 'POST /v1/transactions/batch'
export function createSendBatch(ports: BatchPorts) {
  return async (intents: readonly Intent[], options: BatchOptions = {}): Promise<readonly BatchResult[]> => {
    // All are checked before the first is sent: a mistake in the last intent must not surface halfway.
    const items = intents.map(prepareItem)
    const results = new Map<number, BatchResult>()
    for (const part of splitItems(items)) {
      const stop = await sendPart(ports, part, results, options.signal)
      options.onProgress?.(results.size, items.length)
      // The next part would fail like this one. Its intents are distinguished from those that may have been stored.
      if (stop !== null)
        return items.map(({ place, body }) => results.get(place) ?? fail(body, notSent(body, stop), 'request'))
    }
    return items.flatMap(({ place }) => results.get(place) ?? [])
  }
}

/** Settles every intent of a part. Returns the error that the next part would also get. */
async function sendPart(
  ports: BatchPorts,
  part: readonly BatchItem[],
  results: Map<number, BatchResult>,
  signal: AbortSignal | undefined,
): Promise<DroverError | null> {
  let open = part
  for (let tries = 1; ; tries++) {
    const answer = await ask(ports, open, signal)
    if (answer instanceof DroverError) {
      for (const { place, body } of open) results.set(place, fail(body, answer, 'request'))
      return answer
    }
    const put: [BatchItem, BatchResult][] = open.map((item, index) => [item, read(ports, item, answer[index], tries)])
    for (const [{ place }, result] of put) results.set(place, result)
    const noRoom = put.flatMap(([item, result]) =>
      result.type === 'failed' && result.error.transient ? [{ item, error: result.error }] : [],
    )
    const [first] = noRoom
    if (first === undefined) return null
    const retryAfterMs = Math.max(...noRoom.map(({ error }) => error.retryAfterMs ?? 0))
    const outcome = { type: 'refused', status: 429, problem: null, retryAfterMs, text: '' } as const
    const delayMs = nextDelayMs(outcome, { tries, repeatable: true }, ports.retry, Math.random())
    // Those that are still left are the caller's: it has their ids, and may have more patience.
    if (delayMs === null) return null
    ports.onRetry({ operation: OPERATION, error: first.error, tries, delayMs })
    await delay(delayMs, signal)
    open = noRoom.map(({ item }) => item)
  }
}

type Result = Answer<typeof OPERATION>['results'][number]

async function ask(
  { request }: BatchPorts,
  items: readonly BatchItem[],
  signal: AbortSignal | undefined,
): Promise<readonly Result[] | DroverError> {
  try {
    const body = { transactions: items.map((item) => item.body) }
    return (await request(OPERATION, { body }, { signal })).results
  } catch (error) {
    signal?.throwIfAborted()
    if (!(error instanceof DroverError)) throw error
    return error
  }
}

function read(ports: BatchPorts, { body }: BatchItem, result: Result | undefined, tries: number): BatchResult {
  const { requestId } = body
  if (result === undefined) {
    const detail = 'The service left this one out of its answer.'
    return fail(body, new DroverError({ code: 'unexpected_answer', detail, operation: OPERATION, requestId }))
  }
  if ('transaction' in result) {
    const transaction = createTransactionHandle(ports, result.transaction)
    return { type: 'accepted', requestId, repeated: result.status === 200, transaction }
  }
  const { status, problem } = result
  const { retryAfterMs } = problem
  const known = { ...detailsOf(problem), status, retryAfterMs, operation: OPERATION, tries, requestId }
  return fail(body, new DroverError({ ...known, transient: isPassing(status) }))
}

function fail({ requestId }: BatchItem['body'], error: DroverError, scope: 'item' | 'request' = 'item'): BatchResult {
  return { type: 'failed', requestId, scope, error }
}

function notSent({ requestId }: BatchItem['body'], cause: DroverError): DroverError {
  const detail = `It was not sent, because what came before it in the batch failed: ${cause.message}`
  return new DroverError({ code: 'not_sent', detail, transient: true, operation: OPERATION, requestId, cause })
}
