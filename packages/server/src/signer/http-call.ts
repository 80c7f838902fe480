/** One HTTP request to a key store. Whatever goes wrong is a KeyStoreAway that names the host and nothing else. */
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { KeyStoreAway } from '../ports/signer.ts'

export interface HttpCall {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface HttpReply {
  readonly status: number
  readonly body: string
}

export interface TlsFiles {
  readonly cert?: string
  readonly key?: string
  readonly ca?: string
}

export interface HttpCaller {
  call(call: HttpCall): Promise<HttpReply>
  close(): void
}

const TIMEOUT_MS = 5_000
const MAX_REPLY_BYTES = 8 * 1024 * 1024
const MAX_SOCKETS = 32

/** `tls`: the certificate to show, its key, and who may have issued the other side's, all in PEM. */
export function createHttpCaller(tls: TlsFiles = {}, timeoutMs = TIMEOUT_MS): HttpCaller {
  const pool = { keepAlive: true, maxSockets: MAX_SOCKETS, timeout: timeoutMs }
  const http = new HttpAgent(pool)
  const https = new HttpsAgent({ ...pool, ...tls, minVersion: 'TLSv1.2' })

  function callOnce(given: HttpCall, isRetry: boolean): Promise<HttpReply> {
    const { method, url, headers = {}, body } = given
    return new Promise((resolve, reject) => {
      const isSecure = url.protocol === 'https:'
      const fail = (why: string) => reject(new KeyStoreAway(`${url.host} does not respond: ${why}`))
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
      const options = { method, headers: { ...headers, ...length }, signal: AbortSignal.timeout(timeoutMs) }
      const connection = isRetry ? { ...tls, agent: false } : { agent: isSecure ? https : http }
      const send = isSecure ? requestHttps : requestHttp
      const request = send(url, { ...options, ...connection }, (response) => {
        readReply(response).then(resolve, (error: unknown) => fail(codeOf(error)))
      })
      request.on('error', (error) => {
        // The other side closed a connection that was kept. All calls can be repeated.
        if (request.reusedSocket && !isRetry) resolve(callOnce(given, true))
        else fail(codeOf(error))
      })
      request.end(body)
    })
  }

  return {
    call: (given) => callOnce(given, false),
    close: () => {
      http.destroy()
      https.destroy()
    },
  }
}

async function readReply(response: IncomingMessage): Promise<HttpReply> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of response as AsyncIterable<Buffer>) {
    size += part.length
    if (size > MAX_REPLY_BYTES) throw Object.assign(new Error(), { code: 'reply too long' })
    parts.push(part)
  }
  return { status: response.statusCode ?? 0, body: Buffer.concat(parts).toString('utf8') }
}

/** A message may contain the URL or a header; a code does not. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'timed out'
  return 'code' in error && typeof error.code === 'string' ? error.code : 'connection failed'
}

/** An object, or an empty one if the text is not one. */
export function parseReply(body: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
  } catch {
    return {}
  }
}
