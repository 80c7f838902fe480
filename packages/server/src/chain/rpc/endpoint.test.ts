/** An endpoint that keeps failing: left alone with growing pauses, and tried again with one request. */
import { expect, test } from 'vitest'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import { createEndpoint, type Endpoint } from './endpoint.ts'
import type { HttpReply } from './http-post.ts'
import { parseRpcUrls } from './rpc-url.ts'

const READ = { method: 'eth_call', params: [] }

/** `breaks`: which requests get no answer. */
function open(breaks: { of(body: string): boolean }) {
  const clock = createManualClock()
  const posted: string[] = []
  async function post(body: string): Promise<HttpReply> {
    posted.push(body)
    if (breaks.of(body)) return { type: 'lost', code: 'ETIMEDOUT', stale: false }
    const calls = [JSON.parse(body)].flat() as { id: number }[]
    const answers = calls.map(({ id }) => ({ jsonrpc: '2.0', id, result: '0x1' }))
    return { type: 'answered', status: 200, retryAfterMs: null, body: JSON.stringify(answers) }
  }
  const [target] = parseRpcUrls(['http://node.example'])
  if (target === undefined) throw new Error('no URL')
  const endpoint = createEndpoint(target, {
    name: 'node.example',
    chainId: 1,
    clock,
    telemetry: createRecordingTelemetry(),
    timeoutMs: 30_000,
    maxConcurrent: 16,
    maxBatch: 10,
    maxResponseBytes: 65_536,
    openPost: () => ({ post, connections: () => 1, close() {} }),
  })
  return { endpoint, clock, posted }
}

/** Tries whenever it may, and returns the pauses in between. */
async function collectPauses(endpoint: Endpoint, clock: { freeze(ms: number): void }, tries: number) {
  const pauses: number[] = []
  for (let index = 0; index < tries; index++) {
    await endpoint.send([READ], 'read')
    pauses.push(endpoint.waitMs())
    clock.freeze(endpoint.waitMs())
  }
  return pauses
}

const GROWING = [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]

test('pauses grow while it is away', async () => {
  const { endpoint, clock, posted } = open({ of: () => true })
  expect(await collectPauses(endpoint, clock, GROWING.length)).toEqual(GROWING)
  expect(posted.every((body) => body.includes('eth_chainId') && !body.includes('eth_call'))).toBe(true)
  expect(endpoint.report(false)).toMatchObject({ state: 'failing', retryAt: null })
})

test('pauses grow although it still says which chain it serves, and an answer ends that', async () => {
  let isBroken = true
  const { endpoint, clock } = open({ of: (body) => isBroken && body.includes('eth_call') })
  expect(await collectPauses(endpoint, clock, GROWING.length)).toEqual(GROWING)
  isBroken = false
  expect(await collectPauses(endpoint, clock, 2)).toEqual([0, 0])
  isBroken = true
  expect(await collectPauses(endpoint, clock, 2)).toEqual([250, 500])
})

test('requests that fail together are one failure', async () => {
  let isBroken = false
  const { endpoint, clock } = open({ of: () => isBroken })
  await endpoint.send([READ], 'read')
  isBroken = true
  await Promise.all(Array.from({ length: 10 }, () => endpoint.send([READ], 'read')))
  expect(endpoint.waitMs()).toBe(250)
  expect(endpoint.report(false).retryAt).toBe(clock.now() + 250)
})

test('many requests wait for one probe', async () => {
  let isBroken = true
  const { endpoint, clock, posted } = open({ of: () => isBroken })
  await endpoint.send([READ], 'read')
  clock.freeze(endpoint.waitMs())
  posted.length = 0
  await Promise.all(Array.from({ length: 10 }, () => endpoint.send([READ], 'read')))
  expect(posted).toHaveLength(1)
  isBroken = false
  clock.freeze(endpoint.waitMs())
  const replies = await Promise.all(Array.from({ length: 10 }, () => endpoint.send([READ], 'read')))
  expect(replies.flat().every(({ type }) => type === 'result')).toBe(true)
})

test('a view call that breaks, or takes too long, does not take the node away, nor does it wait with other reads', async () => {
  const { endpoint, posted } = open({ of: (body) => body.includes('0xbad') })
  await endpoint.send([READ], 'read')
  posted.length = 0
  const views = endpoint.send([{ method: 'eth_call', params: ['0xbad'] }], 'view')
  const reads = endpoint.send([READ], 'read')
  expect((await views).map(({ type }) => type)).toEqual(['lost'])
  expect((await reads).map(({ type }) => type)).toEqual(['result'])
  expect(posted).toHaveLength(2)
  expect([endpoint.state(), endpoint.waitMs()]).toEqual(['healthy', 0])
})
