/**
 * One follower of the event stream, as bytes that HTTP can carry.
 *
 * It pulls: the next bytes are made when the client has taken the last ones, so that a slow client costs a cursor and one
 * chunk, however much happens meanwhile. It takes events from the node's shared tail and, where it stands further back,
 * pages from the store. A client that takes nothing at all for too long is let go: it comes back with the id of the last
 * event it has. Heartbeats carry the cursor too, so that who filters much does not start far behind when it comes back.
 */
import { Readable } from 'node:stream'
import type { Caller } from '../core/caller.ts'
import { type EventFilter, matchesEvent } from '../core/event-filter.ts'
import type { EventTail } from '../engine/event-tail.ts'
import type { WorkTurns } from '../engine/tenants/work-turns.ts'
import type { Clock } from '../ports/clock.ts'
import type { HistoryEntry } from '../ports/store.ts'
import { createEventFrame, type EventFrame } from './event-frame.ts'

export interface EventStreamPorts {
  readonly clock: Pick<Clock, 'schedule'>
  readonly tail: EventTail<EventFrame>
  /** A page from the store; its callers wait in line, so that many who are behind do not starve the rest. */
  readPage(after: number, limit: number): Promise<readonly HistoryEntry[]>
  /** Whether the caller may still read; asked before events are told, and with every heartbeat. */
  isAllowed(caller: Caller): Promise<boolean>
  /** Each piece is work of its own: a tenant with hundreds of streams tells them in turns. */
  readonly work: WorkTurns
  readonly heartbeatMs: number
  /** A client that takes nothing for this long is let go. */
  readonly stallMs: number
}

export interface EventStreamRequest {
  readonly after: number
  readonly filter: EventFilter
  readonly caller: Caller
}

export type StreamEnd = 'closed' | 'stalled' | 'forbidden' | 'failed'

export interface EventStream {
  readonly body: Readable
  /** Ends it after what was written; the client goes on elsewhere. */
  end(): void
  /** Ends it where its caller may no longer read. */
  recheck(): void
}

const PAGE = 200
/** In browsers, how long to wait before coming back. */
const RETRY_MS = 1_000

export function openEventStream(
  ports: EventStreamPorts,
  request: EventStreamRequest,
  onEnd: (end: StreamEnd, error?: unknown) => void,
): EventStream {
  const { clock, tail, heartbeatMs, stallMs } = ports
  let cursor = request.after
  let isOver = false
  let isBeatDue = false
  let wantsMore = true
  let wake = (): void => {}
  const body = new Readable({
    read() {
      wantsMore = true
      wake()
    },
    destroy(error, done) {
      finish('closed')
      done(error)
    },
  })
  const unfollow = tail.follow(() => wake())
  let cancelBeat = clock.schedule(heartbeatMs, beat)

  function beat(): void {
    isBeatDue = true
    cancelBeat = clock.schedule(heartbeatMs, beat)
    wake()
  }

  /** Like a heartbeat that is due now. */
  function recheck(): void {
    isBeatDue = true
    wake()
  }

  function finish(end: StreamEnd, error?: unknown): void {
    if (isOver) return
    isOver = true
    cancelBeat()
    unfollow()
    wake()
    onEnd(end, error)
  }

  const woken = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve
    })

  /** The bytes of what comes next, empty where nothing of it is wanted; null where there is nothing yet. */
  async function readNext(): Promise<Buffer | null> {
    const kept = tail.readAfter(cursor, PAGE)
    if (kept !== null && kept.length === 0) return null
    const before = tail.position()
    const frames = kept ?? (await ports.readPage(cursor, PAGE)).map(createEventFrame)
    const last = frames.at(-1)?.entry.eventId ?? cursor
    // A short page has all that there was, up to what this node had read when it was asked for.
    const isWhole = kept === null && frames.length < PAGE && before !== null
    const reached = isWhole ? Math.max(last, before) : last
    if (reached === cursor) return null
    cursor = reached
    const wanted = frames.filter(({ entry }) => matchesEvent(request.filter, request.caller, entry))
    return Buffer.concat(wanted.map(({ bytes }) => bytes))
  }

  /** Resolves when the client wants more. */
  async function write(bytes: Buffer | string): Promise<void> {
    if (isOver) return
    wantsMore = false
    if (body.push(bytes)) return
    const cancelStall = clock.schedule(stallMs, () => {
      finish('stalled')
      body.destroy()
    })
    while (!isOver && !wantsMore) await woken()
    cancelStall()
  }

  async function tellNext(): Promise<'told' | 'nothing' | 'forbidden'> {
    if (isBeatDue) {
      isBeatDue = false
      if (!(await ports.isAllowed(request.caller))) return 'forbidden'
      await write(`: still here\nid: ${cursor}\n\n`)
      return 'told'
    }
    const bytes = await readNext()
    if (bytes === null) return 'nothing'
    // Asked after they were read: what was stored after a key was revoked never gets out under it.
    if (bytes.length > 0 && !(await ports.isAllowed(request.caller))) return 'forbidden'
    if (bytes.length > 0) await write(bytes)
    return 'told'
  }

  async function run(): Promise<void> {
    await write(`retry: ${RETRY_MS}\n\n`)
    while (!isOver) {
      const news = woken()
      const endWork = await ports.work.begin(request.caller.tenant)
      const told = await tellNext().finally(endWork)
      if (told === 'forbidden') return end('forbidden')
      if (told === 'nothing') await news
    }
  }

  function end(reason: StreamEnd, error?: unknown): void {
    if (isOver) return
    finish(reason, error)
    body.push(null)
  }

  void run().catch((error: unknown) => end('failed', error))
  return { body, end: () => end('closed'), recheck }
}
