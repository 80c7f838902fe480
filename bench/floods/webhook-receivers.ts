/** Webhook receivers: one that answers at once, and many that answer after 30 s, never, or are not there. */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { percentiles } from './percentiles.ts'

const BAD = 10
const SLOW_MS = 30_000

export interface Receivers {
  readonly healthyUrl: string
  readonly badUrls: readonly string[]
  /** How long events took to the healthy one since the last call, as text. */
  takeDelays(): string
  stop(): Promise<void>
}

export async function startReceivers(): Promise<Receivers> {
  let delays: number[] = []
  const servers: Server[] = []
  const open = async (listener: RequestListener): Promise<string> => {
    const server = createServer((request, response) => {
      request.resume()
      listener(request, response)
    })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const healthyUrl = await open((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { timestamp } = JSON.parse(Buffer.concat(chunks).toString()) as { readonly timestamp: string }
      delays.push(Math.max(0, Date.now() - Date.parse(timestamp)))
      response.writeHead(204).end()
    })
  })
  const slow = await open((_request, response) => {
    setTimeout(() => response.writeHead(204).end(), SLOW_MS).unref()
  })
  const silent = await open(() => undefined)
  const gone = await open(() => undefined)
  await close(servers.pop())
  const badUrls = [slow, silent, gone].flatMap((url) => Array.from({ length: BAD }, (_, index) => `${url}/${index}`))
  return {
    healthyUrl,
    badUrls,
    takeDelays() {
      const { p50, p99 } = percentiles(delays)
      delays = []
      return `${p50.toFixed(0)} / ${p99.toFixed(0)}`
    },
    stop: async () => {
      await Promise.all(servers.map(close))
    },
  }
}

function close(server: Server | undefined): Promise<void> {
  return new Promise((resolve) => {
    server?.close(() => resolve())
    server?.closeAllConnections()
  })
}
