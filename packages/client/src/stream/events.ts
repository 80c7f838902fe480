/**
 * Events in commit order, each one once. The cursor is the number of the last event that was handed out: whatever breaks,
 * the stream is opened again after it. A source may repeat events but not skip any, so that a reader who keeps the
 * `eventId` of what it has dealt with, and passes it as `after` when it starts again, misses none.
 */

import type { Event } from '../generated/api-types.ts'
import { delay } from '../transport/delay.ts'
import type { CallOptions } from '../transport/operation.ts'
import { createOutage } from '../transport/outage.ts'
import type { RetryNotice } from '../transport/transport.ts'
import type { EventQuery, OpenEvents } from './poll-events.ts'

export interface EventOptions extends CallOptions {
  /** The `eventId` of the last one dealt with; those after it are delivered. Left out: from the very first. */
  readonly after?: number
  /** False: the loop ends when all that has happened so far is delivered. Else it goes on for ever. */
  readonly follow?: boolean
  /** Only those of these types, such as `inclusion.seen`. */
  readonly types?: readonly string[]
  readonly chainId?: number
  /** Only those of this signer. */
  readonly from?: string
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
  const { after = 0, follow = true, maxOutageMs = Number.POSITIVE_INFINITY, signal } = options
  const query = spellFilter(options)
  const outage = createOutage(maxOutageMs)
  let cursor = after
  // Else a reader of few events would begin far back whenever the stream is opened again.
  const onPassed = (eventId: number) => {
    if (eventId > cursor) cursor = eventId
  }
  for (;;) {
    try {
      for await (const event of open({ after: cursor, follow, query, signal, onAnswer: outage.end, onPassed })) {
        if (event.eventId <= cursor) continue
        cursor = event.eventId
        if (isWanted(event, options)) yield event
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

/** The stream brings only what was asked for; pages bring everything. */
function isWanted(event: Event, { types, chainId, from }: EventOptions): boolean {
  if (types !== undefined && !types.includes(event.type)) return false
  if (chainId !== undefined && event.chainId !== chainId) return false
  return from === undefined || event.from.toLowerCase() === from.toLowerCase()
}

function spellFilter({ types, chainId, from, completions }: EventOptions): EventQuery {
  return {
    ...(types !== undefined && { types: types.join(',') }),
    ...(chainId !== undefined && { chainId }),
    ...(from !== undefined && { from }),
    ...(completions === true && { completions: 'true' }),
  }
}
