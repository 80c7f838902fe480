/** Ends a WebSocket whose client sends more than is read. It may come back later. */
import type { WebSocket } from 'ws'
import type { Clock } from '../../ports/clock.ts'

const TRY_LATER = 1013
/** For the client to read why it was disconnected. */
const GRACE_MS = 1_000
/** A close frame has room for 123 bytes. */
const MAX_REASON_CHARS = 120

export function disconnect(
  socket: Pick<WebSocket, 'close' | 'pause' | 'terminate'>,
  clock: Pick<Clock, 'schedule'>,
  reason: string,
): void {
  socket.close(TRY_LATER, reason.slice(0, MAX_REASON_CHARS))
  // Reads no more of it.
  socket.pause()
  clock.schedule(GRACE_MS, () => socket.terminate())
}
