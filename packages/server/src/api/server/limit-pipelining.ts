/**
 * A client may send its next requests before it has the first response. Each is served only when the response before it has
 * been sent, and meanwhile nothing more is read. What came in the same packet is read all the same, up to a limit: thousands
 * of requests fit into a packet, and reading them would hold up everybody. Above it, none of those that wait is served, and
 * the connection closes with the response before them. A connection on which responses wait cannot change to another
 * protocol.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

type Serve = (request: IncomingMessage, response: ServerResponse) => void

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** Hardly any client does this at all. Those that do send a few, or some dozens. */
const MAX_WAITING = 64

export function limitPipelining(server: Server, onRefused: () => void): void {
  const lines = new WeakMap<Socket, Exchange[]>()
  const own = server.listeners('request') as Serve[]
  /** Of each connection, the response that has not been sent. */
  const current = new WeakMap<object, ServerResponse>()
  const refused = new WeakSet<Socket>()
  /** Paused here. Others pause a connection too, to leave a body unread. */
  const paused = new WeakSet<Socket>()

  function serve({ request, response }: Exchange): void {
    current.set(request.socket, response)
    // Also emitted if the client goes.
    response.once('close', () => {
      const line = lines.get(request.socket) ?? []
      if (request.socket.destroyed) line.length = 0
      const next = line.shift()
      // The body of the last one may not have arrived yet.
      if (line.length === 0 && paused.delete(request.socket) && !isOver(request.socket)) request.socket.resume()
      if (next !== undefined) return serve(next)
      current.delete(request.socket)
      if (refused.has(request.socket)) request.socket.destroySoon()
    })
    for (const listen of own) listen.call(server, request, response)
  }

  function pause(socket: Socket): void {
    paused.add(socket)
    socket.pause()
  }

  function openLine(socket: Socket): Exchange[] {
    const line: Exchange[] = []
    lines.set(socket, line)
    return line
  }

  const isOver = (socket: Socket): boolean => socket.destroyed || refused.has(socket)

  function refuse(socket: Socket, line: Exchange[]): void {
    line.length = 0
    stopParsing(socket)
    if (refused.has(socket)) return
    refused.add(socket)
    onRefused()
    const response = current.get(socket)
    if (response !== undefined) response.shouldKeepAlive = false
  }

  // Node would begin the connection anew, and never send what waits.
  server.prependListener('upgrade', (_request, stream) => {
    if (current.has(stream)) stream.destroy()
  })
  server.removeAllListeners('request')
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    // Its turn on the connection has come.
    if (response.socket !== null) return serve({ request, response })
    const line = lines.get(request.socket) ?? openLine(request.socket)
    // Once the packet has been read: until then, Node goes on reading after each request.
    process.nextTick(() => (line.length > 0 || refused.has(request.socket)) && pause(request.socket))
    if (line.length === MAX_WAITING || refused.has(request.socket)) refuse(request.socket, line)
    else line.push({ request, response })
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
function stopParsing(socket: Socket & { readonly parser?: Parser | null }): void {
  if (typeof socket.parser?.onIncoming === 'function') socket.parser.onIncoming = () => UPGRADED
}
