/**
 * Tells responses that their connection has ended, even if their turn on it had not come. A client may send its next
 * requests before it has the first response. If it goes, Node closes only the response that is being sent: whatever waits
 * for another one to close would wait forever, and keep its share of the memory.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export function closeQueuedResponses(server: Server): void {
  const queued = new WeakMap<Socket, Set<ServerResponse>>()

  function watch(socket: Socket): Set<ServerResponse> {
    const responses = new Set<ServerResponse>()
    queued.set(socket, responses)
    socket.once('close', () => {
      for (const response of responses) {
        if (response.socket !== null) continue
        response.destroy()
        response.emit('close')
      }
    })
    return responses
  }

  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    // Its turn has come, so Node closes it.
    if (response.socket !== null) return
    const responses = queued.get(socket) ?? watch(socket)
    responses.add(response)
    response.once('close', () => responses.delete(response))
  })
}
