/** All event and block streams that this node serves: limited in number, and ended together when it stops. */
import type { Readable } from 'node:stream'
import type { Caller } from '../../core/access/caller.ts'
import { AppError } from '../../core/app-error.ts'
import type { FairTurns } from '../../engine/tenants/fair-turns.ts'
import { createTenantPool } from '../../engine/tenants/tenant-pool.ts'
import type { WorkTurns } from '../../engine/tenants/work-turns.ts'
import type { EventTail } from '../../engine/wait/event-tail.ts'
import type { Clock } from '../../ports/clock.ts'
import type { HistoryEntry } from '../../ports/history.ts'
import type { Store } from '../../ports/store.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { Pieces } from '../server/pieces.ts'
import type { ConfirmationFeed } from './confirmation-feed.ts'
import { createEventFrame, type EventFrame } from './event-frame.ts'
import { createEventPages, type ReadEventPage } from './event-pages.ts'
import { createEventSource, type EventStreamRequest } from './event-stream.ts'
import { openServerEvents, type ServerEventSource, type ServerEvents, type StreamEnd } from './server-events.ts'
import { createWakeTurns } from './wake-turns.ts'

export interface EventStreams {
  /** Throws `too_many_streams` if this node is at its limit, `tenant_limit` if the tenant is. */
  open(request: EventsRequest): Promise<Readable>
  /** A stream of anything else, which counts toward the same limits. */
  openSource(source: ServerEventSource, caller: Caller): Readable
  /** Ends all of them cleanly. Their readers continue on another node. */
  /** Settles when nothing is being read any more. */
  close(): Promise<void>
}

export interface EventsRequest extends Omit<EventStreamRequest, 'after'> {
  readonly after: number | 'latest'
  /** Growing confirmations are sent in between. */
  readonly confirmations: boolean
}

export interface EventStreamLimits {
  readonly maxStreams: number
  readonly heartbeatMs: number
  readonly stallMs: number
  readonly sharePercent?: number
}

interface EventStreamsPorts {
  readonly store: Pick<Store, 'listen' | 'readEvents' | 'findLastEventId'>
  /** The node's own, which others read too. */
  readonly tail: EventTail<HistoryEntry>
  readonly clock: Pick<Clock, 'schedule'>
  readonly telemetry: Telemetry
  readonly work: Pick<WorkTurns, 'begin' | 'spend'>
  readonly pieces: Pick<Pieces, 'map'>
  readonly reads: FairTurns
  readonly limits: EventStreamLimits
  isAllowed(caller: Caller): Promise<boolean>
  readonly confirmations: Pick<ConfirmationFeed, 'createReader'>
}

const RETRY_AFTER_MS = 5_000

export function createEventStreams(ports: EventStreamsPorts): EventStreams {
  const { store, clock, telemetry, work, pieces, reads, limits, isAllowed } = ports
  const tail = frameEvents(ports.tail)
  const readPage = createEventPages({ store, clock })
  const streams = new Set<ServerEvents>()
  const wakes = createWakeTurns(work)
  const pool = createTenantPool({
    what: 'event streams',
    size: limits.maxStreams,
    retryAfterMs: RETRY_AFTER_MS,
    sharePercent: limits.sharePercent,
    whenFull: () => refuse(`This node already serves ${limits.maxStreams} streams`),
  })
  /** A key was revoked, on any node: its streams end now, not at their next heartbeat. */
  const unlisten = store.listen(({ type }) => {
    if (type === 'keys.changed' || type === 'gap') for (const stream of streams) stream.recheck()
  })
  let isClosed = false

  function logEnd(end: StreamEnd, error: unknown): void {
    telemetry.count('drover_event_streams_total', { result: end })
    if (end === 'failed') telemetry.log('warn', 'event stream ended with an error', { error: String(error) })
  }

  function start(source: ServerEventSource, caller: Caller, leave: () => void): Readable {
    const { heartbeatMs, stallMs } = limits
    const ports = { clock, isAllowed, work, heartbeatMs, stallMs }
    const inTurn: ServerEventSource = {
      ...source,
      follow: (onNews) => wakes.follow(caller.tenant, onNews, source.follow),
    }
    const stream = openServerEvents(ports, { source: inTurn, caller }, (end, error) => {
      streams.delete(stream)
      leave()
      logEnd(end, error)
      telemetry.gauge('drover_event_streams', streams.size)
    })
    streams.add(stream)
    telemetry.count('drover_event_streams_total', { result: 'opened' })
    telemetry.gauge('drover_event_streams', streams.size)
    return stream.body
  }

  function enter({ tenant }: Caller): () => void {
    try {
      if (isClosed) throw refuse('This node is stopping')
      return pool.enter(tenant)
    } catch (error) {
      telemetry.count('drover_event_streams_total', { result: 'refused' })
      throw error
    }
  }

  return {
    async open({ after, confirmations, ...request }) {
      const leave = enter(request.caller)
      try {
        const from = after === 'latest' ? await store.findLastEventId() : after
        const reader = confirmations ? ports.confirmations.createReader() : null
        // Clients that are behind take turns, so a thousand that reconnect at once do not monopolise the database.
        const readInTurn: ReadEventPage = (after, limit) =>
          reads.run(request.caller.tenant, () => readPage(after, limit))
        const source = createEventSource(
          { tail, readPage: readInTurn, pieces, confirmations: reader },
          { ...request, after: from },
        )
        return start(source, request.caller, leave)
      } catch (error) {
        leave()
        throw error
      }
    },
    openSource(source, caller) {
      const leave = enter(caller)
      try {
        return start(source, caller, leave)
      } catch (error) {
        leave()
        throw error
      }
    },
    async close() {
      isClosed = true
      unlisten()
      for (const stream of [...streams]) stream.end()
      await tail.close()
    },
  }
}

/** The frames of a tail's events. Each is made once, and lasts as long as the tail keeps its event. */
function frameEvents(tail: EventTail<HistoryEntry>): EventTail<EventFrame> {
  const frames = new WeakMap<HistoryEntry, EventFrame>()
  const frameOf = (entry: HistoryEntry): EventFrame => {
    const known = frames.get(entry)
    if (known !== undefined) return known
    const made = createEventFrame(entry)
    frames.set(entry, made)
    return made
  }
  return { ...tail, readAfter: (cursor, limit) => tail.readAfter(cursor, limit)?.map(frameOf) ?? null }
}

function refuse(why: string): AppError {
  return new AppError('too_many_streams', `${why}. Use another node, or retry.`, { retryAfterMs: RETRY_AFTER_MS })
}
