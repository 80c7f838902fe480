/**
 * Counts the bytes of a message that has not arrived whole among the bytes of requests. Otherwise a client could leave
 * a large message unfinished on each of its connections, and all of them would be held in memory.
 */
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { AppError } from '../../core/app-error.ts'
import type { Clock } from '../../ports/clock.ts'
import { disconnect } from './disconnect.ts'

interface Connection {
  readonly stream: Duplex
  readonly socket: Pick<WebSocket, 'on' | 'close' | 'pause' | 'terminate'>
  readonly clock: Pick<Clock, 'schedule'>
  /** Takes room for bytes. Throws `tenant_limit` or `overloaded`. */
  enter(bytes: number): () => void
}

/** Less is not counted: most messages are smaller. */
const STEP_BYTES = 64 * 1024

export function countUnfinished({ stream, socket, clock, enter }: Connection): void {
  let uncounted = 0
  const leaves: (() => void)[] = []
  let isRefused = false

  function count(chunk: Buffer): void {
    uncounted += chunk.length
    if (uncounted < STEP_BYTES || isRefused) return
    try {
      leaves.push(enter(uncounted))
      uncounted = 0
    } catch (error) {
      refuse(error)
    }
  }

  function refuse(error: unknown): void {
    if (!(error instanceof AppError)) throw error
    isRefused = true
    disconnect(socket, clock, error.message)
  }

  function forget(): void {
    uncounted = 0
    for (const leave of leaves.splice(0)) leave()
  }

  // Before the library reads it: what completes a message is counted before that message is forgotten.
  stream.prependListener('data', count)
  socket.on('message', forget)
  socket.on('close', forget)
}
