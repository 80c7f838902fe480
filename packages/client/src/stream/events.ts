/**
 * Events in commit order, each one once. The cursor is the number of the last event delivered: whatever breaks, the
 * stream reopens after it. A source may repeat events but not skip any, so a reader that keeps the `eventId` of the
 * last event it processed, and passes it as `after` when it restarts, misses none.
 */

import type { Event } from '../generated/api-types.ts'
import { delay } from '../transport/delay.ts'
import type { CallOptions } from '../transport/operation.ts'
import { createOutage } from '../transport/outage.ts'
import type { RetryNotice } from '../transport/transport.ts'
import type { EventQuery, OpenEvents } from './poll-events.ts'

export interface EventOptions extends CallOptions {
  /** The `eventId` of the last event you processed; later events are delivered. Default: from the very first. */
  readonly after?: number
  /** False: the loop ends when all events so far are delivered. Otherwise it runs forever. */
  readonly follow?: boolean
  /** Only those of these types, such as `inclusion.seen`. */
  readonly types?: readonly string[]
  readonly chainId?: number
  /** Only those of this signer. */
  readonly from?: string
  /** Only the one event of each transaction that made it final. */
  readonly completions?: boolean
  /** How long the service may be unreachable, in a row, before the loop fails. Default: no limit. */
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
  // Otherwise a reader of few events would start far back whenever the stream reopens.
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

/** The stream delivers only what was requested; pages deliver everything. */
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
