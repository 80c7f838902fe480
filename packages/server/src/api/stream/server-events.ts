/**
 * One client that gets updates as they happen, as bytes over HTTP.
 *
 * It pulls: the next bytes are made when the client has read the last ones, so a slow client costs a cursor and one
 * chunk, however much happens meanwhile. A client that reads nothing for too long is disconnected and reconnects with
 * its last id. Heartbeats carry the cursor too, so a client with a narrow filter does not start far behind when it
 * reconnects.
 */
import { Readable } from 'node:stream'
import { CALLER_GONE, type Caller } from '../../core/access/caller.ts'
import type { WorkTurns } from '../../engine/tenants/work-turns.ts'
import type { Clock } from '../../ports/clock.ts'

export interface ServerEventPorts {
  readonly clock: Pick<Clock, 'schedule'>
  /** Whether the caller may still read. Checked before anything is sent, and with every heartbeat. */
  isAllowed(caller: Caller): Promise<boolean>
  /** Each piece is separate work: a tenant with hundreds of streams takes turns. */
  readonly work: Pick<WorkTurns, 'begin' | 'spend'>
  readonly heartbeatMs: number
  /** A client that reads nothing for this long is disconnected. */
  readonly stallMs: number
}

export interface ServerEventSource {
  /** Calls back when there may be more, until the returned function is called. */
  follow(onNews: () => void): () => void
  /** The bytes of what comes next. Empty if the client wants none of it, null if there is nothing yet. */
  readNext(): Promise<Buffer | null>
  /** The id the client reconnects with. Null if it has nothing to resume. */
  cursor(): number | null
}

export type StreamEnd = 'closed' | 'stalled' | 'forbidden' | 'failed'

export interface ServerEvents {
  readonly body: Readable
  /** Ends it after what was written. The client continues elsewhere. */
  end(): void
  /** Ends it if its caller may no longer read. */
  recheck(): void
}

/** How long browsers wait before they reconnect. */
const RETRY_MS = 1_000
/** Reading, framing and writing this much takes the thread about a millisecond. */
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
    gone.abort(CALLER_GONE)
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
    // Checked after the read, so data stored after a key was revoked is never sent under that key.
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
