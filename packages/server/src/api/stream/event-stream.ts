/**
 * What one follower of the event stream gets: events from the node's shared tail and, if it is further back, pages from
 * the store. On request it also gets growing confirmations in between, which have no id.
 */
import type { Caller } from '../../core/access/caller.ts'
import { type EventFilter, matchesEvent } from '../../core/webhook/event-filter.ts'
import type { EventTail } from '../../engine/wait/event-tail.ts'
import type { Pieces } from '../server/pieces.ts'
import type { ConfirmationReader } from './confirmation-feed.ts'
import type { EventFrame } from './event-frame.ts'
import type { ReadEventPage } from './event-pages.ts'
import type { ServerEventSource } from './server-events.ts'

export interface EventSourcePorts {
  readonly tail: EventTail<EventFrame>
  /** For long pages. */
  readonly pieces: Pick<Pieces, 'map'>
  /** A page from the store. Callers queue, so many followers that are behind do not starve the rest. */
  readonly readPage: ReadEventPage
  /** Null if they were not requested. */
  readonly confirmations: ConfirmationReader | null
}

export interface EventStreamRequest {
  readonly after: number
  readonly filter: EventFilter
  readonly caller: Caller
}

const PAGE = 200
/** Fewer are sent at once. */
const LONG = 20

export function createEventSource(
  ports: EventSourcePorts,
  { after, filter, caller }: EventStreamRequest,
): ServerEventSource {
  const { tail, confirmations } = ports
  let cursor = after

  async function readEvents(): Promise<Buffer | null> {
    const kept = tail.readAfter(cursor, PAGE)
    if (kept !== null && kept.length === 0) return null
    const before = tail.position()
    const frames = kept ?? (await ports.readPage(cursor, PAGE))
    const last = frames.at(-1)?.entry.eventId ?? cursor
    // A short page has everything up to what this node had read when the page was requested.
    const isWhole = kept === null && frames.length < PAGE && before !== null
    const reached = isWhole ? Math.max(last, before) : last
    if (reached === cursor) return null
    const wanted = frames.filter(({ entry }) => matchesEvent(filter, caller, entry))
    const toBytes = (frame: EventFrame): Buffer => frame.bytesFor(caller)
    const bytes = wanted.length < LONG ? wanted.map(toBytes) : await ports.pieces.map(caller.tenant, wanted, toBytes)
    cursor = reached
    return Buffer.concat(bytes)
  }

  return {
    follow(onNews) {
      const ends = [tail.follow(onNews), confirmations?.follow(onNews)]
      return () => {
        for (const end of ends) end?.()
      }
    },
    async readNext() {
      const events = await readEvents()
      // Events first: an inclusion is sent before the blocks on top of it.
      return events ?? confirmations?.readNext(filter, caller) ?? null
    },
    cursor: () => cursor,
  }
}
