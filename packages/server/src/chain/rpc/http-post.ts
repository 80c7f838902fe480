/** Posts a body to one URL over kept-alive connections. A failure is a value that says whether bytes can have left. */
import * as http from 'node:http'
import * as https from 'node:https'
import type { Clock } from '../../ports/clock.ts'

export type HttpReply =
  | { readonly type: 'answered'; readonly status: number; readonly body: string; readonly retryAfterMs: number | null }
  /** No connection was made, so nothing was sent. */
  | { readonly type: 'unreached'; readonly code: string }
  /**
   * The request may have arrived; its answer did not, or not whole. `stale`: the connection was an old one that ended as
   * it was used again, which is what happens when a node closes it for being idle: most likely nobody read the request.
   */
  | { readonly type: 'lost'; readonly code: string; readonly stale: boolean }

export interface HttpPostOptions {
  readonly url: URL
  readonly timeoutMs: number
  readonly maxSockets: number
  readonly maxResponseBytes: number
  readonly clock: Clock
}

export interface HttpPost {
  post(body: string): Promise<HttpReply>
  /** Connections made so far: one more means that another machine may answer from now on. */
  connections(): number
  close(): void
}

export type OpenPost = (options: HttpPostOptions) => HttpPost

const NEVER_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
])
const ENDED_CONNECTION = new Set(['ECONNRESET', 'EPIPE'])

/**
 * node:http and not fetch: its agent bounds the connections of one URL and can be closed, a response can be cut off at a
 * size, and errors name their cause.
 */
export function createHttpPost(options: HttpPostOptions): HttpPost {
  const secure = options.url.protocol === 'https:'
  const settings = { keepAlive: true, maxSockets: options.maxSockets }
  const agent = secure ? new https.Agent(settings) : new http.Agent(settings)
  const open = secure ? https.request : http.request
  let connections = 0

  function post(body: string): Promise<HttpReply> {
    return new Promise((resolve) => {
      const request = open(options.url, {
        method: 'POST',
        agent,
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      })
      const cancelTimeout = options.clock.schedule(options.timeoutMs, () => {
        const connecting = request.socket === null || request.socket === undefined || request.socket.connecting
        settle(connecting ? { type: 'unreached', code: 'CONNECT_TIMEOUT' } : lost('TIMEOUT'))
        request.destroy()
      })
      function settle(reply: HttpReply): void {
        cancelTimeout()
        resolve(reply)
      }
      request.on('error', (error: NodeJS.ErrnoException) => {
        const code = error.code ?? 'UNKNOWN'
        if (NEVER_CONNECTED.has(code)) settle({ type: 'unreached', code })
        else settle({ type: 'lost', code, stale: request.reusedSocket && ENDED_CONNECTION.has(code) })
      })
      request.on('socket', () => {
        if (!request.reusedSocket) connections++
      })
      request.on('response', (response) => collect(response, options.maxResponseBytes, settle))
      request.end(body)
    })
  }

  return { post, connections: () => connections, close: () => agent.destroy() }
}

function lost(code: string): HttpReply {
  return { type: 'lost', code, stale: false }
}

function collect(response: http.IncomingMessage, maxBytes: number, settle: (reply: HttpReply) => void): void {
  const chunks: Buffer[] = []
  let size = 0
  response.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > maxBytes) {
      settle(lost('TOO_LARGE'))
      response.destroy()
      return
    }
    chunks.push(chunk)
  })
  response.on('end', () => {
    if (!response.complete) return settle(lost('TRUNCATED'))
    const body = Buffer.concat(chunks).toString('utf8')
    const retryAfterMs = parseRetryAfter(response.headers['retry-after'])
    settle({ type: 'answered', status: response.statusCode ?? 0, body, retryAfterMs })
  })
  response.on('error', () => settle(lost('TRUNCATED')))
  response.on('aborted', () => settle(lost('TRUNCATED')))
}

/** Seconds only: the date form would need a wall clock that agrees with theirs. */
function parseRetryAfter(header: string | undefined): number | null {
  return header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : null
}
