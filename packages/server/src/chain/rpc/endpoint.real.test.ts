import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createSystemClock } from '../../app/system-clock.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import { createEndpoint, type Endpoint } from './endpoint.ts'
import { parseRpcUrls } from './rpc-url.ts'

let server: Server | null = null
let endpoint: Endpoint | null = null

afterEach(() => {
  endpoint?.close()
  server?.close()
  server?.closeAllConnections()
})

/** Serves chain 1 until it is sent a transaction: that it reads, and is gone for good without an answer. */
async function startNodeThatDies(): Promise<{ readonly url: string; readonly read: string[] }> {
  const read: string[] = []
  const own = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      if (body.includes('eth_sendRawTransaction')) {
        read.push(body)
        own.close()
        request.socket.destroy()
        return
      }
      const calls = [JSON.parse(body)].flat() as { id: number }[]
      const answers = calls.map(({ id }) => ({ jsonrpc: '2.0', id, result: '0x1' }))
      response.end(JSON.stringify(Array.isArray(JSON.parse(body)) ? answers : answers[0]))
    })
  })
  server = own
  await new Promise<void>((resolve) => own.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(own.address() as AddressInfo).port}`, read }
}

test('bytes read by a dying node over an old connection count as lost, not as unsent, even without a new connection', async () => {
  const { url, read } = await startNodeThatDies()
  const [target] = parseRpcUrls([url])
  if (target === undefined) throw new Error('no URL')
  endpoint = createEndpoint(target, {
    name: 'node',
    chainId: 1,
    clock: createSystemClock(),
    telemetry: createRecordingTelemetry(),
    timeoutMs: 30_000,
    maxConcurrent: 1,
    maxBatch: 10,
    maxResponseBytes: 65_536,
  })
  await endpoint.send([{ method: 'eth_blockNumber', params: [] }], 'read')
  const replies = await endpoint.send([{ method: 'eth_sendRawTransaction', params: ['0x02'] }], 'broadcast')
  expect(read).toHaveLength(1)
  expect(replies).toMatchObject([{ type: 'lost' }])
})
