/**
 * Responds to a request with a large body that is still arriving, without reading the rest. Reading it to the end would cost
 * more than the refusal saves. If the connection were closed at once, a client that is still sending would often get an
 * error instead of the response. So it stays half open for a moment, unread, and a client that looks for a response
 * while it sends gets it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Clock } from '../../ports/clock.ts'

/** Read to the end, so that every client gets the response, and can use the connection again. */
const SMALL_BYTES = 1024 * 1024
const LINGER_MS = 1_000

/** To be called before the response is sent. Does nothing if the body has arrived, or is small. */
export function leaveUnread(request: IncomingMessage, response: ServerResponse, clock: Pick<Clock, 'schedule'>): void {
  const { socket, complete, headers } = request
  if (complete || response.headersSent || !(socket instanceof Socket)) return
  const { 'content-length': length, 'transfer-encoding': encoding } = headers
  if (encoding === undefined && Number(length ?? 0) <= SMALL_BYTES) return
  response.setHeader('connection', 'close')
  // With a listener of this kind, data is read only on request, and nobody requests it.
  request.on('readable', () => {})
  // The server calls it once the response is written.
  socket.destroySoon = () => {
    socket.end()
    socket.once(
      'close',
      clock.schedule(LINGER_MS, () => socket.destroy()),
    )
  }
}
