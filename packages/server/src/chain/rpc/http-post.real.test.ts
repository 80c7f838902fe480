import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createSystemClock } from '../../app/system-clock.ts'
import { hashOf } from '../../testing/core/sample-transactions.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import { createEndpoint, type Endpoint } from './endpoint.ts'
import { createHttpPost } from './http-post.ts'
import { broadcastTo } from './pool-broadcast.ts'
import { parseRpcUrls } from './rpc-url.ts'

const TIMEOUT_MS = 30_000
const servers: Server[] = []
const endpoints: Endpoint[] = []

afterEach(() => {
  for (const endpoint of endpoints.splice(0)) endpoint.close()
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** Null: it reads the request and never answers. */
async function startNode(
  answer: (id: number) => object | null,
): Promise<{ readonly url: URL; readonly server: Server }> {
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const calls = [JSON.parse(text)].flat() as { readonly id: number; readonly method: string }[]
    const answers = calls.map(({ id, method }) =>
      method === 'eth_sendRawTransaction' ? answer(id) : { jsonrpc: '2.0', id, result: '0x1' },
    )
    server.emit('read', text)
    if (!answers.includes(null)) response.end(JSON.stringify(text.startsWith('[') ? answers : answers[0]))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), server }
}

/** The time-outs of requests come when the test says so. */
function createExpiringClock() {
  const system = createSystemClock()
  const timeouts = new Set<() => void>()
  const schedule = (ms: number, run: () => void) => {
    if (ms !== TIMEOUT_MS) return system.schedule(ms, run)
    timeouts.add(run)
    return () => void timeouts.delete(run)
  }
  const expire = () => {
    for (const run of timeouts) run()
  }
  return { clock: { ...system, schedule }, expire }
}

test('a request that was sent and not answered in time is lost; one that never got a connection was not sent', async () => {
  const { url, server } = await startNode(() => null)
  const { clock, expire } = createExpiringClock()
  const http = createHttpPost({ url, timeoutMs: TIMEOUT_MS, maxSockets: 1, maxResponseBytes: 1_000, clock })
  const body = JSON.stringify({ id: 1, method: 'eth_sendRawTransaction' })
  const early = http.post(body)
  expire()
  expect(await early).toEqual({ type: 'unreached', code: 'CONNECT_TIMEOUT' })
  const read = once(server, 'read')
  const sent = http.post(body)
  await read
  expire()
  expect(await sent).toEqual({ type: 'lost', code: 'TIMEOUT', stale: false })
  http.close()
})

test('a time-out at one node and a rejection at another: the bytes may be out [G4]', async () => {
  const silent = await startNode(() => null)
  const strict = await startNode((id) => ({
    jsonrpc: '2.0',
    id,
    error: { code: -32000, message: 'intrinsic gas too low' },
  }))
  const { clock, expire } = createExpiringClock()
  const [target, other] = parseRpcUrls([silent.url.href, strict.url.href])
  for (const [index, each] of [target, other].entries()) {
    if (each === undefined) throw new Error('two URLs give two targets')
    const options = { timeoutMs: TIMEOUT_MS, maxConcurrent: 4, maxBatch: 10, maxResponseBytes: 65_536 }
    const telemetry = createRecordingTelemetry()
    endpoints.push(createEndpoint(each, { name: `node-${index}`, chainId: 1, clock, telemetry, ...options }))
  }
  const read = once(silent.server, 'read', { signal: AbortSignal.timeout(60_000) })
  const sending = broadcastTo(endpoints, [{ raw: '0x02', hash: hashOf(1) }])
  for (let [text] = await read; !String(text).includes('eth_sendRawTransaction'); )
    [text] = await once(silent.server, 'read')
  expire()
  expect(await sending).toMatchObject([{ type: 'ambiguous' }])
})
