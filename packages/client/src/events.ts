/**
 * Events in commit order, each one once. The cursor is the number of the last event that was handed out: whatever breaks,
 * the stream is opened again after it. A source may repeat events but not skip any, so that a reader who keeps the
 * `eventId` of what it has dealt with, and passes it as `after` when it starts again, misses none.
 */
import { delay } from './delay.ts'
import type { Event } from './generated/api-types.ts'
import type { CallOptions } from './operation.ts'
import { createOutage } from './outage.ts'
import type { OpenEvents } from './poll-events.ts'
import type { RetryNotice } from './transport.ts'

export interface EventOptions extends CallOptions {
  /** The `eventId` of the last one dealt with; those after it are delivered. Left out: from the very first. */
  readonly after?: number
  /** False: the loop ends when all that has happened so far is delivered. Else it goes on for ever. */
  readonly follow?: boolean
  /** Only the one event of each transaction that made it final. */
  readonly completions?: boolean
  /** How long the service may be out of reach, in a row, before the loop fails. For ever if left out. */
  readonly maxOutageMs?: number
}

export interface EventPorts {
  readonly open: OpenEvents
  onRetry(notice: RetryNotice): void
}

export async function* readEvents({ open, onRetry }: EventPorts, options: EventOptions): AsyncGenerator<Event, void> {
  const { after = 0, follow = true, completions = false, maxOutageMs = Number.POSITIVE_INFINITY, signal } = options
  const outage = createOutage(maxOutageMs)
  for (let cursor = after; ; ) {
    try {
      for await (const event of open({ after: cursor, follow, completions, signal, onAnswer: outage.end })) {
        if (event.eventId <= cursor) continue
        cursor = event.eventId
        yield event
      }
      if (!follow) return
    } catch (caught) {
      signal?.throwIfAborted()
      const { error, failures, delayMs } = outage.bear(caught)
      onRetry({ operation: 'events', error, tries: failures, delayMs })
      await delay(delayMs, signal)
    }
  }
}
