/**
 * A client may send its next requests before it has the first response. They are read at once, and their responses wait
 * for their turn on the connection. A connection on which too many wait is closed: thousands of requests fit into a
 * packet, and reading them would hold up everybody.
 *
 * If the client goes, Node closes only the response that is being sent. Whatever waits for another one to close would wait
 * forever, and keep its share of the memory. So those that wait are closed with their connection.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

type Serve = (request: IncomingMessage, response: ServerResponse) => void

/** Clients that do this at all send a few, or some dozens. */
const MAX_QUEUED = 100

export function limitPipelining(server: Server, onRefused: () => void): void {
  const queued = new WeakMap<Socket, Set<ServerResponse>>()
  const own = server.listeners('request') as Serve[]

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

  function refuse(socket: Socket): void {
    if (socket.destroyed) return
    onRefused()
    socket.destroy()
  }

  server.removeAllListeners('request')
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    // Its turn has not come. Else Node closes it.
    if (response.socket === null) {
      const responses = queued.get(socket) ?? watch(socket)
      // What came in the same packet is still read.
      if (responses.size >= MAX_QUEUED || socket.destroyed) return refuse(socket)
      responses.add(response)
      response.once('close', () => responses.delete(response))
    }
    for (const serve of own) serve.call(server, request, response)
  })
}
