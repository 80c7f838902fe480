/** A local HTTP service that stands in for a key store, and can go away. */
import { createServer as createHttp, type IncomingMessage } from 'node:http'
import { createServer as createHttps } from 'node:https'
import type { AddressInfo } from 'node:net'
import { TEST_CERTIFICATES } from './test-certificates.ts'

export interface FakeRequest {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export interface FakeReply {
  readonly status: number
  readonly body: string
}

export interface FakeService {
  readonly url: string
  /** Requests that were answered. */
  count(): number
  /** Answers no request that contains this text, until it is null again. */
  hold(text: string | null): void
  /** Requests that were held so far. */
  held(): number
  /** While it is away, connections are cut. */
  setAway(isAway: boolean): void
  stop(): Promise<void>
}

export async function startFakeService(
  reply: (request: FakeRequest) => FakeReply | Promise<FakeReply>,
  { isSecure = false }: { readonly isSecure?: boolean } = {},
): Promise<FakeService> {
  let isAway = false
  let answered = 0
  let heldText: string | null = null
  let heldCount = 0
  let release = (): void => {}
  let released: Promise<void> = Promise.resolve()
  const { ca, serverCert: cert, serverKey: key } = TEST_CERTIFICATES
  const server = isSecure ? createHttps({ ca, cert, key, requestCert: true, rejectUnauthorized: true }) : createHttp()
  server.on('request', (request, response) => {
    const run = async () => {
      if (isAway) return void request.socket.destroy()
      let body = ''
      for await (const part of request) body += String(part)
      if (heldText !== null && body.includes(heldText)) {
        heldCount++
        await released
      }
      const url = new URL(request.url ?? '/', 'http://fake')
      const answer = await reply({ method: request.method ?? '', url, headers: request.headers, body })
      if (isAway) return void request.socket.destroy()
      answered++
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body)
    }
    run().catch(() => request.socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `${isSecure ? 'https' : 'http'}://127.0.0.1:${port}`,
    count: () => answered,
    hold: (text) => {
      release()
      heldText = text
      released = new Promise((resolve) => {
        release = resolve
      })
      if (text === null) release()
    },
    held: () => heldCount,
    setAway: (now) => {
      isAway = now
      if (now) server.closeAllConnections()
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
