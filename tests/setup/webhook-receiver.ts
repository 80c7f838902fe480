/** A webhook receiver that answers as the test says. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

export interface ReceivedWebhook {
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string
}

export interface WebhookAnswer {
  readonly status: number
  readonly headers?: Record<string, string>
  readonly body?: string
  /** How long the receiver takes to answer. */
  readonly delayMs?: number
}

export interface WebhookReceiver {
  readonly url: string
  /** In the order of arrival, whatever was answered. */
  readonly received: readonly ReceivedWebhook[]
  answerWith(answer: (received: ReceivedWebhook) => WebhookAnswer | Promise<WebhookAnswer>): void
  /** Closes the port and breaks open connections. */
  goDown(): Promise<void>
  comeBack(): Promise<void>
  stop(): Promise<void>
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = []
  let answer: (received: ReceivedWebhook) => WebhookAnswer | Promise<WebhookAnswer> = () => ({ status: 200 })
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const got = { path: request.url ?? '', headers: flatten(request.headers), body: Buffer.concat(chunks).toString() }
    received.push(got)
    const { status, headers = {}, body = '', delayMs = 0 } = await answer(got)
    if (delayMs > 0) await delay(delayMs)
    response.writeHead(status, headers).end(body)
  })
  let port = 0
  const listen = async () => {
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port
  }
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  await listen()
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    answerWith: (next) => {
      answer = next
    },
    goDown: close,
    comeBack: listen,
    stop: close,
  }
}

function flatten(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
}
