/**
 * One client that is told things as they happen, as bytes that HTTP can carry.
 *
 * It pulls: the next bytes are made when the client has taken the last ones, so that a slow client costs a cursor and one
 * chunk, however much happens meanwhile. A client that takes nothing at all for too long is let go: it comes back with the
 * last id it has. Heartbeats carry the cursor too, so that who filters much does not start far behind when it comes back.
 */
import { Readable } from 'node:stream'
import type { Caller } from '../../core/access/caller.ts'
import type { WorkTurns } from '../../engine/tenants/work-turns.ts'
import type { Clock } from '../../ports/clock.ts'

export interface ServerEventPorts {
  readonly clock: Pick<Clock, 'schedule'>
  /** Whether the caller may still read; asked before anything is told, and with every heartbeat. */
  isAllowed(caller: Caller): Promise<boolean>
  /** Each piece is work of its own: a tenant with hundreds of streams is told in turns. */
  readonly work: Pick<WorkTurns, 'begin' | 'spend'>
  readonly heartbeatMs: number
  /** A client that takes nothing for this long is let go. */
  readonly stallMs: number
}

export interface ServerEventSource {
  /** Calls, perhaps for nothing, when there is more, until the returned function is called. */
  follow(onNews: () => void): () => void
  /** The bytes of what comes next, empty where nothing of it is wanted; null where there is nothing yet. */
  readNext(): Promise<Buffer | null>
  /** What the client comes back with; null where it has nothing to come back to. */
  cursor(): number | null
}

export type StreamEnd = 'closed' | 'stalled' | 'forbidden' | 'failed'

export interface ServerEvents {
  readonly body: Readable
  /** Ends it after what was written; the client goes on elsewhere. */
  end(): void
  /** Ends it where its caller may no longer read. */
  recheck(): void
}

/** In browsers, how long to wait before coming back. */
const RETRY_MS = 1_000
/** Reading, framing and writing so much takes the thread a millisecond, about. */
const BYTES_PER_MS = 16 * 1024

export function openServerEvents(
  ports: ServerEventPorts,
  { source, caller }: { readonly source: ServerEventSource; readonly caller: Caller },
  onEnd: (end: StreamEnd, error?: unknown) => void,
): ServerEvents {
  const { clock, heartbeatMs, stallMs } = ports
  let isOver = false
  let isBeatDue = false
  let wantsMore = true
  let wake = (): void => {}
  const gone = new AbortController()
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
  const unfollow = source.follow(() => wake())
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
    gone.abort()
    onEnd(end, error)
  }

  const woken = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve
    })

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

  async function sendNext(): Promise<'told' | 'nothing' | 'forbidden'> {
    if (isBeatDue) {
      isBeatDue = false
      if (!(await ports.isAllowed(caller))) return 'forbidden'
      const cursor = source.cursor()
      await write(`: still here\n${cursor === null ? '' : `id: ${cursor}\n`}\n`)
      return 'told'
    }
    const bytes = await source.readNext()
    if (bytes === null) return 'nothing'
    // Asked after they were read: what was stored after a key was revoked never gets out under it.
    if (bytes.length > 0 && !(await ports.isAllowed(caller))) return 'forbidden'
    ports.work.spend(caller.tenant, bytes.length / BYTES_PER_MS)
    if (bytes.length > 0) await write(bytes)
    return 'told'
  }

  async function run(): Promise<void> {
    await write(`retry: ${RETRY_MS}\n\n`)
    while (!isOver) {
      const news = woken()
      const endWork = await ports.work.begin(caller.tenant, { gone: gone.signal, isBounded: true })
      if (endWork === null) return
      const told = await sendNext().finally(endWork)
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
