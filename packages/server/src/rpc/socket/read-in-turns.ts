/**
 * Reads a WebSocket in its tenant's turns. A packet may hold thousands of tiny frames, and not all of them are messages.
 * How long they take is counted, and while the tenant has used more than its share of the thread, nothing is read.
 */
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { Clock } from '../../ports/clock.ts'

interface Connection {
  readonly stream: Duplex
  readonly socket: Pick<WebSocket, 'isPaused' | 'on' | 'pong'>
  readonly clock: Pick<Clock, 'monotonic'>
  /** Its tenant used the thread for this long. */
  spend(ms: number): void
  /** Null: its tenant may go on. Else resolves when it may. */
  untilDue(): Promise<void> | null
}

/** Less is counted later, with what follows. */
const COUNTED_MS = 5

export function readInTurns({ stream, socket, clock, spend, untilDue }: Connection): void {
  const emit = stream.emit.bind(stream) as (event: string | symbol, ...values: unknown[]) => boolean
  /** What has arrived, and perhaps the end. */
  const held: (() => void)[] = []
  let usedMs = 0
  let isResting = false

  function read(next: () => void): void {
    const startedAt = clock.monotonic()
    next()
    usedMs += clock.monotonic() - startedAt
    if (usedMs < COUNTED_MS) return
    spend(usedMs)
    usedMs = 0
  }

  function readHeld(): void {
    for (let next = held.shift(); next !== undefined; next = held.shift()) {
      const due = untilDue()
      if (due !== null) {
        held.unshift(next)
        isResting = true
        stream.pause()
        void due.then(goOn)
        return
      }
      read(next)
    }
  }

  function goOn(): void {
    isResting = false
    if (stream.destroyed) held.length = 0
    const next = held.shift()
    if (next !== undefined) read(next)
    readHeld()
    if (!isResting && !socket.isPaused && !stream.destroyed) stream.resume()
  }

  /** The library reads what is left when the connection closes. It must not go on in the middle. */
  function forget(): void {
    isResting = true
    stream.read()
    held.length = 0
  }

  stream.emit = (event: string | symbol, ...values: unknown[]): boolean => {
    if (event === 'close' && held.length > 0) forget()
    if (event !== 'data' && event !== 'end') return emit(event, ...values)
    held.push(() => void emit(event, ...values))
    // The library lets the stream go on when a message is done.
    if (isResting) stream.pause()
    else readHeld()
    return true
  }
  answerLatestPing(socket)
}

/** As the protocol allows. Answering thousands one by one would take far longer than reading them. */
function answerLatestPing(socket: Pick<WebSocket, 'on' | 'pong'>): void {
  let latest: Buffer | null = null
  socket.on('ping', (data: Buffer) => {
    const isWaiting = latest !== null
    latest = data
    if (isWaiting) return
    setImmediate(() => {
      if (latest !== null) socket.pong(latest)
      latest = null
    })
  })
}
