/**
 * Sends rows to the service, a bounded number at a time. Rows that the service cannot accept now (429, 5xx, no
 * response) are retried with growing pauses under the same request ids, so each row is carried out once however often
 * it is sent. A permanent refusal is reported for that row only. When the caller wants to stop, requests in progress
 * finish first.
 */
import type { Drover, DroverError, Transaction } from '@drover/client'
import { backOff, spreadPause } from '@drover/server/core'
import { pause } from '../pause.ts'
import type { BatchRow } from './survey-batch.ts'

export interface Refusal {
  readonly code: string
  readonly message: string
}

export interface SendPorts {
  readonly drover: Drover
  /** Fires when nothing more should be started. */
  readonly stop: AbortSignal
  onAccepted(
    accepted: readonly { readonly row: BatchRow; readonly transaction: Transaction; readonly isNew: boolean }[],
  ): Promise<void>
  onRefused(row: BatchRow, refusal: Refusal): void
  /** Something is retried after this pause. */
  onPause(why: string, ms: number): void
}

export interface SendLimits {
  readonly chunkSize: number
  readonly concurrency: number
  /** How long nothing may succeed, in a row, before it gives up. */
  readonly maxOutageMs: number
}

const PAUSES = { first: 250, max: 10_000 }

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
  for await (const row of rows) {
    chunk.push(row)
    if (chunk.length < size) continue
    yield chunk
    chunk = []
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
    if (performance.now() - lastProgressAt > limits.maxOutageMs) throw outcome.error ?? new Error('nothing failed')
    const ownMs = Math.round(spreadPause(backOff(tries + 1, PAUSES), Math.random()))
    const pauseMs = Math.max(Math.min(outcome.retryAfterMs, limits.maxOutageMs), ownMs)
    ports.onPause(outcome.error?.detail ?? '', pauseMs)
    await pause(pauseMs, ports.stop)
  }
}

interface Offer {
  /** To be offered again. */
  readonly left: readonly BatchRow[]
  readonly retryAfterMs: number
  /** Why the last of them was not accepted; null where none is left. */
  readonly error: DroverError | null
}

async function offer(chunk: readonly BatchRow[], { drover, onAccepted, onRefused }: SendPorts): Promise<Offer> {
  // Without a signal: requests in progress finish, so their result is known.
  const results = await drover.sendBatch(chunk.map((row) => row.body))
  const accepted: { row: BatchRow; transaction: Transaction; isNew: boolean }[] = []
  const left: BatchRow[] = []
  let retryAfterMs = 0
  let error: DroverError | null = null
  let broken: DroverError | null = null
  for (const [index, row] of chunk.entries()) {
    const result = results[index]
    if (result === undefined) throw new Error('the client returned fewer results than it was given rows')
    if (result.type === 'accepted') {
      accepted.push({ row, transaction: result.transaction.snapshot, isNew: !result.repeated })
    } else if (result.error.transient) {
      left.push(row)
      retryAfterMs = Math.max(retryAfterMs, result.error.retryAfterMs ?? 0)
      // What was not sent only says that something before it failed.
      if (error === null || result.error.code !== 'not_sent') error = result.error
    } else if (result.scope === 'request') broken = result.error
    else onRefused(row, { code: result.error.code, message: result.error.reason ?? result.error.detail })
  }
  await onAccepted(accepted)
  if (broken !== null) throw broken
  return { left, retryAfterMs, error }
}
