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

/** Hardly any client does this at all, and those that do send a few. */
const MAX_QUEUED = 16

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
    stopParsing(socket)
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
      if (responses.size >= MAX_QUEUED || socket.destroyed) return refuse(socket)
      responses.add(response)
      response.once('close', () => responses.delete(response))
    }
    for (const serve of own) serve.call(server, request, response)
  })
}

/** What Node's parser calls with each request, and does with the answer. */
interface Parser {
  onIncoming?: () => number
}

/** What follows is not HTTP: the parser leaves it alone. */
const UPGRADED = 2

/**
 * Else it would read the rest of the packet, and make objects for each request in it. Node has no public way to say so. If
 * this one is gone, the rest is read, and not served.
 */
function stopParsing({ parser }: Socket & { readonly parser?: Parser | null }): void {
  if (typeof parser?.onIncoming === 'function') parser.onIncoming = () => UPGRADED
}
