/** All event streams that this node serves: so many and no more, over one shared tail, ended together when it stops. */
import type { Readable } from 'node:stream'
import { AppError } from '../core/app-error.ts'
import type { Caller } from '../core/caller.ts'
import { createEventTail } from '../engine/event-tail.ts'
import { createTenantPool } from '../engine/tenants/tenant-pool.ts'
import type { WorkTurns } from '../engine/tenants/work-turns.ts'
import type { Clock } from '../ports/clock.ts'
import type { HistoryEntry, Store } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { createEventFrame } from './event-frame.ts'
import { type EventStream, type EventStreamRequest, openEventStream, type StreamEnd } from './event-stream.ts'

export interface EventStreams {
  /** Throws `too_many_streams` where this node has as many as it may, `tenant_limit` where the tenant has. */
  open(request: Omit<EventStreamRequest, 'after'> & { readonly after: number | 'latest' }): Promise<Readable>
  /** Ends all of them in order; those who read go on at another node. */
  close(): void
}

export interface EventStreamLimits {
  readonly maxStreams: number
  readonly heartbeatMs: number
  readonly stallMs: number
  readonly sharePercent?: number
}

interface EventStreamsPorts {
  readonly store: Pick<Store, 'listen' | 'readEvents' | 'findLastEventId'>
  readonly clock: Pick<Clock, 'schedule'>
  readonly telemetry: Telemetry
  readonly work: WorkTurns
  readonly limits: EventStreamLimits
  isAllowed(caller: Caller): Promise<boolean>
}

/** Pages that are read at one time for streams that are behind. */
const READERS = 4
const RETRY_AFTER_MS = 5_000

export function createEventStreams(ports: EventStreamsPorts): EventStreams {
  const { store, clock, telemetry, work, limits, isAllowed } = ports
  const tail = createEventTail({ store, clock, telemetry, prepare: createEventFrame })
  const streams = new Set<EventStream>()
  const readPage = createPageReader(store)
  const pool = createTenantPool({
    ...{ what: 'event streams', size: limits.maxStreams, retryAfterMs: RETRY_AFTER_MS },
    sharePercent: limits.sharePercent,
    whenFull: () => refuse(`This node serves ${limits.maxStreams} streams already`),
  })
  /** A key was revoked, on whichever node: streams under it end now and not with their next heartbeat. */
  const unlisten = store.listen(({ type }) => {
    if (type === 'keys.changed' || type === 'gap') for (const stream of streams) stream.recheck()
  })
  let isClosed = false

  function tellEnd(end: StreamEnd, error: unknown): void {
    telemetry.count('drover_event_streams_total', { result: end })
    if (end === 'failed') telemetry.log('warn', 'an event stream was ended by an error', { error: String(error) })
  }

  function start(request: EventStreamRequest, leave: () => void): Readable {
    const { heartbeatMs, stallMs } = limits
    const stream = openEventStream(
      { clock, tail, readPage, isAllowed, work, heartbeatMs, stallMs },
      request,
      (end, error) => {
        streams.delete(stream)
        leave()
        tellEnd(end, error)
        telemetry.gauge('drover_event_streams', streams.size)
      },
    )
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
    async open({ after, ...request }) {
      const leave = enter(request.caller)
      try {
        return start({ ...request, after: after === 'latest' ? await store.findLastEventId() : after }, leave)
      } catch (error) {
        leave()
        throw error
      }
    },
    close() {
      isClosed = true
      unlisten()
      for (const stream of [...streams]) stream.end()
      tail.close()
    },
  }
}

function refuse(why: string): AppError {
  return new AppError('too_many_streams', `${why}; ask another, or try again.`, { retryAfterMs: RETRY_AFTER_MS })
}

/** Those who are behind wait in line, so that a thousand who come back at once leave the database to others. */
function createPageReader(store: Pick<Store, 'readEvents'>) {
  const line: (() => void)[] = []
  let reading = 0
  return async (after: number, limit: number): Promise<readonly HistoryEntry[]> => {
    if (reading >= READERS) await new Promise<void>((resolve) => line.push(resolve))
    else reading += 1
    try {
      return await store.readEvents(after, limit)
    } finally {
      const next = line.shift()
      if (next === undefined) reading -= 1
      else next()
    }
  }
}
