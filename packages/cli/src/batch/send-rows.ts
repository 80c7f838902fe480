/**
 * Hands rows to the service, a bounded number at a time. What the service cannot take now (429, 5xx, no answer) is offered
 * again, later and later, under the same request ids, so that however often a row is offered it is carried out once. What
 * it refuses for good is told of that row alone. When the caller wants to stop, what is under way is finished first.
 */
import { type Answer, type Drover, DroverError, type Transaction } from '@drover/client'
import { pause } from '../pause.ts'
import type { BatchRow } from './survey-batch.ts'

type Result = Answer<'POST /v1/transactions/batch'>['results'][number]

export interface Refusal {
  readonly code: string
  readonly message: string
}

export interface SendPorts {
  readonly drover: Drover
  /** Fires when no more is to be begun. */
  readonly stop: AbortSignal
  onAccepted(
    accepted: readonly { readonly row: BatchRow; readonly transaction: Transaction; readonly isNew: boolean }[],
  ): Promise<void>
  onRefused(row: BatchRow, refusal: Refusal): void
  /** Something is offered again after this pause. */
  onPause(why: string, ms: number): void
}

export interface SendLimits {
  readonly chunkSize: number
  readonly concurrency: number
  /** How long nothing may succeed, in a row, before it is given up. */
  readonly maxOutageMs: number
}

/** Half of what the service takes in one request. */
const MAX_BYTES = 4 * 1024 * 1024
const [FIRST_PAUSE_MS, MAX_PAUSE_MS] = [250, 10_000]

export async function sendRows(rows: AsyncIterable<BatchRow>, ports: SendPorts, limits: SendLimits): Promise<void> {
  const chunks = toChunks(rows, limits.chunkSize)
  const failure = new AbortController()
  const stop = AbortSignal.any([ports.stop, failure.signal])
  const work = async (): Promise<void> => {
    while (!stop.aborted) {
      const { value, done } = await chunks.next()
      if (done === true || stop.aborted) return
      await sendChunk(value, { ...ports, stop }, limits)
    }
  }
  const guarded = async (): Promise<void> => {
    try {
      await work()
    } catch (error) {
      failure.abort()
      throw error
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: limits.concurrency }, guarded))
  const broken = ends.find((end) => end.status === 'rejected')
  if (broken !== undefined) throw broken.reason
}

async function* toChunks(rows: AsyncIterable<BatchRow>, size: number): AsyncGenerator<readonly BatchRow[], void> {
  let chunk: BatchRow[] = []
  let bytes = 0
  for await (const row of rows) {
    const length = Buffer.byteLength(JSON.stringify(row.body))
    if (chunk.length > 0 && (chunk.length >= size || bytes + length > MAX_BYTES)) {
      yield chunk
      chunk = []
      bytes = 0
    }
    chunk.push(row)
    bytes += length
  }
  if (chunk.length > 0) yield chunk
}

async function sendChunk(chunk: readonly BatchRow[], ports: SendPorts, limits: SendLimits): Promise<void> {
  let left = chunk
  let lastProgressAt = performance.now()
  for (let tries = 0; left.length > 0; tries++) {
    const outcome = await offer(left, ports)
    if (outcome.left.length < left.length) {
      lastProgressAt = performance.now()
      tries = 0
    }
    left = outcome.left
    if (left.length === 0 || ports.stop.aborted) return
    if (performance.now() - lastProgressAt > limits.maxOutageMs) throw outcome.error
    const grown = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries)
    const pauseMs = Math.max(
      Math.min(outcome.retryAfterMs, limits.maxOutageMs),
      Math.round(grown * (0.5 + Math.random() / 2)),
    )
    ports.onPause(outcome.error.detail, pauseMs)
    await pause(pauseMs, ports.stop)
  }
}

interface Offer {
  /** To be offered again. */
  readonly left: readonly BatchRow[]
  readonly retryAfterMs: number
  readonly error: DroverError
}

async function offer(chunk: readonly BatchRow[], ports: SendPorts): Promise<Offer> {
  try {
    const body = { transactions: chunk.map((row) => row.body) }
    const { results } = await ports.drover.request('POST /v1/transactions/batch', { body })
    return await readResults(chunk, results, ports)
  } catch (error) {
    if (!(error instanceof DroverError && error.transient)) throw error
    return { left: chunk, retryAfterMs: error.retryAfterMs ?? 0, error }
  }
}

async function readResults(chunk: readonly BatchRow[], results: readonly Result[], ports: SendPorts): Promise<Offer> {
  const accepted: { row: BatchRow; transaction: Transaction; isNew: boolean }[] = []
  const left: BatchRow[] = []
  let retryAfterMs = 0
  let detail = 'The queue is full.'
  for (const [index, row] of chunk.entries()) {
    const result = results[index]
    if (result === undefined) throw new Error('the service answered fewer results than it was given rows')
    if ('transaction' in result) {
      accepted.push({ row, transaction: result.transaction, isNew: result.status === 202 })
    } else if (result.status === 429 || result.status >= 500) {
      left.push(row)
      retryAfterMs = Math.max(retryAfterMs, result.problem.retryAfterMs ?? 0)
      detail = result.problem.detail
    } else {
      const { code, detail: said, reason } = result.problem
      ports.onRefused(row, { code, message: reason ?? said })
    }
  }
  await ports.onAccepted(accepted)
  return { left, retryAfterMs, error: new DroverError({ code: 'queue_full', detail, status: 429, transient: true }) }
}
