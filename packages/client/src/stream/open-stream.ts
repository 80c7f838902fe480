/**
 * A stream as the service pushes it. Anything on the way may end the connection now and then, and the reader opens it
 * again. A dead connection can look like an idle one, so the service sends heartbeats, and a stream that is silent for
 * much longer counts as dead.
 */
import type { Connection } from '../transport/connection.ts'
import { startDeadline } from '../transport/deadline.ts'
import { delay } from '../transport/delay.ts'
import { DroverError } from '../transport/drover-error.ts'
import { judgeRefusal } from '../transport/exchange.ts'
import { spellFailure } from '../transport/spell-failure.ts'
import { createServerEventParser, type ServerEvent } from './server-events.ts'

export interface StreamPorts {
  readonly connect: Connection
  /** Until the first byte, as for any request. */
  readonly timeoutMs: number
}

export interface StreamRequest {
  /** For errors: `GET /v1/events/stream`. */
  readonly operation: string
  readonly path: string
  /** What was received last; null: nothing yet. */
  readonly lastId: number | null
  readonly signal: AbortSignal | undefined
  /** The service has sent something, be it a heartbeat. */
  onAnswer(): void
}

/** May end or fail at any time. */
export type OpenStream = (request: StreamRequest) => AsyncGenerator<ServerEvent, void>

/** Several times the pause between heartbeats. */
export const MAX_SILENCE_MS = 60_000
const REOPEN_AFTER_MS = 1_000

export function createOpenStream({ connect, timeoutMs }: StreamPorts): OpenStream {
  return async function* open({ operation, path, lastId, signal, onAnswer }) {
    const closing = new AbortController()
    const within = <T>(limitMs: number, step: Promise<T>) => waitFor(step, { operation, signal, timeoutMs: limitMs })
    try {
      // In the header: something on the way that repeats the request then repeats where it was.
      const headers = { accept: 'text/event-stream', ...(lastId !== null && { 'last-event-id': String(lastId) }) }
      const opening = connect(path, { method: 'GET', headers, body: null, signal: closing.signal })
      const body = await within(
        timeoutMs,
        opening.then((response) => checkStream(response, operation)),
      )
      const reader = body.getReader()
      const parser = createServerEventParser()
      for (;;) {
        const { done, value } = await within(MAX_SILENCE_MS, reader.read())
        // So the clients of a stopping service do not all reconnect at the same instant.
        if (done) return await delay(REOPEN_AFTER_MS * (0.5 + Math.random() / 2), signal)
        onAnswer()
        yield* parser.feed(value)
      }
    } catch (cause) {
      signal?.throwIfAborted()
      throw cause instanceof DroverError ? cause : lost('network_error', 'The stream broke', operation, cause)
    } finally {
      // Also when the reader of these events left its loop: nothing may stay open behind it.
      closing.abort()
    }
  }
}

/** What an event of the stream carries. Throws where it is no object with this field. */
export function parseData<T>(data: string, field: string, operation: string): T {
  try {
    const value: unknown = JSON.parse(data)
    if (typeof value === 'object' && value !== null && field in value) return value as T
  } catch {
    // Not JSON: said below, like any other text that is no event.
  }
  const detail = `This is not an event of Drover: ${JSON.stringify(data.slice(0, 200))}`
  throw new DroverError({ code: 'unexpected_answer', detail, operation })
}

interface Limits {
  readonly operation: string
  readonly signal: AbortSignal | undefined
  readonly timeoutMs: number
}

/** One step of the stream, unless it takes too long or is no longer wanted. */
async function waitFor<T>(step: Promise<T>, { operation, signal, timeoutMs }: Limits): Promise<T> {
  const reason = () => lost('timeout', `Nothing came for ${timeoutMs} ms`, operation, undefined)
  const deadline = startDeadline({ signal, timeoutMs, reason })
  const given = deadline.signal
  try {
    const ended = new Promise<never>((_, reject) => {
      if (given.aborted) reject(given.reason)
      given.addEventListener('abort', () => reject(given.reason), { once: true })
    })
    return await Promise.race([step, ended])
  } finally {
    deadline.close()
  }
}

async function checkStream(response: Response, operation: string): Promise<ReadableStream<Uint8Array>> {
  if (!response.ok) throw spellFailure(judgeRefusal(response, await response.text()), { operation, tries: 1 })
  const type = response.headers.get('content-type') ?? ''
  if (type.startsWith('text/event-stream') && response.body !== null) return response.body
  const detail = `An event stream was expected, not ${JSON.stringify(type)}.`
  throw new DroverError({ code: 'unexpected_answer', detail, status: response.status, operation })
}

function lost(code: 'network_error' | 'timeout', said: string, operation: string, cause: unknown): DroverError {
  return new DroverError({ code, detail: `${said}.`, operation, transient: true, cause })
}
