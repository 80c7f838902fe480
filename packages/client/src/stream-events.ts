/**
 * The event stream as the service pushes it. The connection ends now and then, by whatever stands in between; whoever reads
 * opens it again after the last event that came. Since a dead connection can look like one on which nothing happens, the
 * service sends heartbeats, and a stream that is silent for much longer is taken for dead.
 */
import type { Connection } from './connection.ts'
import { startDeadline } from './deadline.ts'
import { delay } from './delay.ts'
import { DroverError } from './drover-error.ts'
import { judgeRefusal } from './exchange.ts'
import type { Event } from './generated/api-types.ts'
import { spellPath } from './operation.ts'
import type { OpenEvents } from './poll-events.ts'
import { createServerEventParser } from './server-events.ts'
import { spellFailure } from './spell-failure.ts'

export interface StreamPorts {
  readonly connect: Connection
  /** Until the first byte, as for any request. */
  readonly timeoutMs: number
}

const OPERATION = 'GET /v1/events/stream'
/** Several times the pause between heartbeats. */
export const LONGEST_SILENCE_MS = 60_000
const REOPEN_AFTER_MS = 1_000

export function createStreamedEvents({ connect, timeoutMs }: StreamPorts): OpenEvents {
  return async function* open({ after, query, signal, onAnswer, onPassed }) {
    const closing = new AbortController()
    const within = <T>(limitMs: number, step: Promise<T>) => waitFor(step, { signal, timeoutMs: limitMs })
    try {
      // In the header too: something on the way that repeats the request then repeats where it was.
      const headers = { accept: 'text/event-stream', 'last-event-id': String(after) }
      const path = spellPath('/v1/events/stream', { after, ...query })
      const opening = connect(path, { method: 'GET', headers, body: null, signal: closing.signal })
      const body = await within(timeoutMs, opening.then(checkStream))
      const reader = body.getReader()
      const parser = createServerEventParser()
      for (;;) {
        const { done, value } = await within(LONGEST_SILENCE_MS, reader.read())
        // All that a stopping service has sent away do not come back at the same instant.
        if (done) return await delay(REOPEN_AFTER_MS * (0.5 + Math.random() / 2), signal)
        onAnswer()
        for (const { id, data } of parser.feed(value)) {
          if (data !== null) yield parseEvent(data)
          else if (id !== null) onPassed(Number(id))
        }
      }
    } catch (cause) {
      signal?.throwIfAborted()
      throw cause instanceof DroverError ? cause : lost('network_error', 'The stream broke', cause)
    } finally {
      // Also when the reader of these events left its loop: nothing may stay open behind it.
      closing.abort()
    }
  }
}

interface Limits {
  readonly signal: AbortSignal | undefined
  readonly timeoutMs: number
}

/** One step of the stream, unless it takes too long or is no longer wanted. */
async function waitFor<T>(step: Promise<T>, { signal, timeoutMs }: Limits): Promise<T> {
  const reason = () => lost('timeout', `Nothing came for ${timeoutMs} ms`, undefined)
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

async function checkStream(response: Response): Promise<ReadableStream<Uint8Array>> {
  if (!response.ok) {
    throw spellFailure(judgeRefusal(response, await response.text()), { operation: OPERATION, tries: 1 })
  }
  const type = response.headers.get('content-type') ?? ''
  if (type.startsWith('text/event-stream') && response.body !== null) return response.body
  const detail = `An event stream was expected, not ${JSON.stringify(type)}.`
  throw new DroverError({ code: 'unexpected_answer', detail, status: response.status, operation: OPERATION })
}

function parseEvent(data: string): Event {
  try {
    const event: unknown = JSON.parse(data)
    if (typeof event === 'object' && event !== null && 'eventId' in event) return event as Event
  } catch {
    // Not JSON: said below, like any other text that is no event.
  }
  const detail = `This is not an event of Drover: ${JSON.stringify(data.slice(0, 200))}`
  throw new DroverError({ code: 'unexpected_answer', detail, operation: OPERATION })
}

function lost(code: 'network_error' | 'timeout', said: string, cause: unknown): DroverError {
  return new DroverError({ code, detail: `${said}.`, operation: OPERATION, transient: true, cause })
}
