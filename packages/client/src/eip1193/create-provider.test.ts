import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  ADDRESS,
  inTurn,
  json,
  NETWORK_DOWN,
  problem,
  type Reply,
  type Script,
  stubService,
} from '../testing/stub-service.ts'
import { createProvider, type ProviderOptions } from './create-provider.ts'
import { ProviderRpcError } from './provider-rpc-error.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const HASH = `0x${'ab'.repeat(32)}`
const SEND = { method: 'eth_sendTransaction', params: [{ from: ADDRESS, to: ADDRESS, value: '0x1' }] }

const result = (value: unknown) => json({ jsonrpc: '2.0', id: 1, result: value })
const failure = (code: number, message: string, data?: unknown) =>
  json({ jsonrpc: '2.0', id: 1, error: { code, message, data } })
const stillWaiting = () => failure(-32002, 'transaction 17 was accepted and goes on', { transactionId: '17' })

function setUp(script: Script, options: Partial<ProviderOptions> = {}) {
  const service = stubService(script)
  const provider = createProvider({ url: 'http://drover.test', chainId: 31_337, fetch: service.fetch, ...options })
  return { provider, requests: service.requests }
}

async function settle(promise: Promise<unknown>): Promise<unknown> {
  const settled = promise.catch((error: unknown) => error)
  await vi.runAllTimersAsync()
  return settled
}

const keysOf = (requests: readonly { readonly headers: Headers }[]) =>
  requests.map(({ headers }) => headers.get('idempotency-key'))

describe('a call', () => {
  test("goes to the chain with the caller's key, and returns the result", async () => {
    const { provider, requests } = setUp(() => result('0x7a69'), { apiKey: 'drv_secret' })
    expect(await provider.request({ method: 'eth_chainId' })).toBe('0x7a69')
    expect(requests[0]).toMatchObject({
      method: 'POST',
      body: { jsonrpc: '2.0', method: 'eth_chainId', params: [] },
    })
    expect(requests[0]?.url.pathname).toBe('/rpc/31337')
    expect(requests[0]?.headers.get('authorization')).toBe('Bearer drv_secret')
    expect(keysOf(requests)).toEqual([null])
  })

  test('names no chain if none is given, and writes bigints as quantities', async () => {
    const service = stubService(() => result(null))
    const provider = createProvider({ url: 'http://drover.test/base/', fetch: service.fetch })
    expect(await provider.request({ method: 'eth_call', params: [{ value: 255n }, 'latest'] })).toBeNull()
    expect(service.requests[0]?.url.pathname).toBe('/base/rpc')
    expect(service.requests[0]?.body.params).toEqual([{ value: '0xff' }, 'latest'])
  })

  test('that fails at the node keeps its code, message and data', async () => {
    const { provider } = setUp(() => failure(3, 'execution reverted: no', '0x08c379a0'))
    const error = await settle(provider.request({ method: 'eth_call', params: [] }))
    expect(error).toBeInstanceOf(ProviderRpcError)
    expect(error).toMatchObject({ code: 3, message: 'execution reverted: no', data: '0x08c379a0' })
  })

  test.each<[string, Reply, number]>([
    ['a wrong key', problem(401, 'unauthorized'), 4100],
    ['a key that is not for this', problem(403, 'forbidden'), 4100],
    ['a bad request', problem(400, 'invalid_request'), -32600],
    ['no connection', NETWORK_DOWN, 4900],
    ['a proxy without a service', new Response('Bad gateway', { status: 502 }), 4900],
    ['too many requests', problem(429, 'rate_limited'), -32005],
    ['something else than JSON-RPC', new Response('<html>'), -32603],
    ['an answer without a result', json({ jsonrpc: '2.0', id: 1 }), -32603],
    ['an error with a status of its own', json({ error: { code: -32601, message: 'no such method' } }, 404), -32601],
  ])('that meets %s', async (_, reply, code) => {
    const { provider } = setUp(() => (reply instanceof Response ? reply.clone() : reply), { retry: false })
    expect(await settle(provider.request({ method: 'eth_blockNumber' }))).toMatchObject({
      name: 'ProviderRpcError',
      code,
    })
  })

  test.each([
    { method: '' },
    {
      method: 'eth_call',
      params: (() => {
        const loop: unknown[] = []
        loop.push(loop)
        return loop
      })(),
    },
  ])('that cannot be serialized is refused before it is sent %#', async (args) => {
    const { provider, requests } = setUp(() => result(null))
    expect(await settle(provider.request(args))).toMatchObject({ name: 'ProviderRpcError' })
    expect(requests).toEqual([])
  })

  test('ends with the reason of the signal', async () => {
    const { provider } = setUp(() => 'hang')
    const controller = new AbortController()
    const refused = expect(provider.request({ method: 'eth_blockNumber' }, { signal: controller.signal })).rejects.toBe(
      'enough',
    )
    await vi.advanceTimersByTimeAsync(10)
    controller.abort('enough')
    await refused
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('sending again', () => {
  test.each<[string, () => Reply]>([
    ['no connection', () => NETWORK_DOWN],
    ['no answer in time', () => 'hang'],
    ['503', () => problem(503, 'database_unavailable')],
    ['a full queue', () => failure(-32005, 'the queue is full')],
  ])('after %s: a transaction goes out under the same key', async (_, fail) => {
    const { provider, requests } = setUp(inTurn(fail, fail, result(HASH)))
    expect(await settle(provider.request(SEND))).toBe(HASH)
    const [key] = keysOf(requests)
    expect(key).toMatch(/^[0-9a-f-]{32,}$/)
    expect(keysOf(requests)).toEqual([key, key, key])
    expect(new Set(requests.map(({ text }) => text)).size).toBe(1)
  })

  test('continues while the service says that the call is waiting for its turn', async () => {
    const { provider, requests } = setUp(inTurn(...Array(20).fill(stillWaiting), result(HASH)))
    expect(await settle(provider.request(SEND))).toBe(HASH)
    expect(new Set(keysOf(requests)).size).toBe(1)
  })

  test('but not forever; the error names the transaction, which continues', async () => {
    const { provider } = setUp(stillWaiting, { maxHoldMs: 5_000 })
    expect(await settle(provider.request(SEND))).toMatchObject({ code: -32002, data: { transactionId: '17' } })
  })

  test('reads are retried; calls that must not run twice are not', async () => {
    const read = setUp(inTurn(NETWORK_DOWN, result('0x1')))
    expect(await settle(read.provider.request({ method: 'eth_getBalance', params: [ADDRESS, 'latest'] }))).toBe('0x1')
    for (const method of ['eth_sendRawTransaction', 'eth_getFilterChanges', 'evm_mine']) {
      const { provider, requests } = setUp(() => NETWORK_DOWN)
      expect(await settle(provider.request({ method, params: [] }))).toMatchObject({ code: 4900 })
      expect(requests).toHaveLength(1)
    }
  })
})

describe('the key of a transaction', () => {
  test('is new for every request', async () => {
    const { provider, requests } = setUp(() => result(HASH))
    await provider.request(SEND)
    await provider.request(SEND)
    expect(new Set(keysOf(requests)).size).toBe(2)
  })

  test('stays with the same parameter object until it is answered, whoever sends it again', async () => {
    const { provider, requests } = setUp((_, count) => (count <= 2 ? NETWORK_DOWN : result(HASH)), { retry: false })
    expect(await settle(provider.request(SEND))).toMatchObject({ code: 4900 })
    expect(await settle(provider.request({ ...SEND }))).toMatchObject({ code: 4900 })
    expect(await provider.request(SEND)).toBe(HASH)
    expect(new Set(keysOf(requests)).size).toBe(1)
    await provider.request(SEND)
    expect(new Set(keysOf(requests)).size).toBe(2)
  })

  test('is not shared with equal parameters in another object', async () => {
    const { provider, requests } = setUp((_, count) => (count === 1 ? NETWORK_DOWN : result(HASH)), { retry: false })
    await settle(provider.request(SEND))
    await provider.request({ ...SEND, params: [...SEND.params] })
    expect(new Set(keysOf(requests)).size).toBe(2)
  })

  test('is dropped once the transaction has ended', async () => {
    const ended = failure(-32000, 'transaction 17 is CANCELLED', { transactionId: '17', state: 'CANCELLED' })
    const { provider, requests } = setUp(inTurn(ended, result(HASH)))
    expect(await settle(provider.request(SEND))).toMatchObject({ code: -32000 })
    await provider.request(SEND)
    expect(new Set(keysOf(requests)).size).toBe(2)
  })

  test("may be the caller's own", async () => {
    const { provider, requests } = setUp(() => result(HASH))
    await provider.request(SEND, { idempotencyKey: 'order 17' })
    expect(keysOf(requests)).toEqual(['order 17'])
  })
})

test.each(['', ' ', 'ü', 'a\nb', 'x'.repeat(191)])('%j is not a valid key', async (idempotencyKey) => {
  const { provider, requests } = setUp(() => result(HASH))
  await expect(provider.request(SEND, { idempotencyKey })).rejects.toMatchObject({ code: -32602 })
  expect(requests).toEqual([])
})

describe('listeners', () => {
  test('are called for the first answer and for the loss of connection, once each', async () => {
    const { provider } = setUp(
      inTurn(result(1), result(2), NETWORK_DOWN, NETWORK_DOWN, failure(-32000, 'an answer too'), result(3)),
      { retry: false },
    )
    const told: unknown[] = []
    provider.on('connect', ({ chainId }) => told.push(chainId))
    provider.on('disconnect', ({ code }) => told.push(code))
    for (let count = 0; count < 6; count++) await settle(provider.request({ method: 'eth_blockNumber' }))
    expect(told).toEqual(['0x7a69', 4900, '0x7a69'])
  })

  test('that were removed are not called', async () => {
    const { provider } = setUp(() => result(1))
    const listener = vi.fn()
    provider.on('connect', listener)
    provider.removeListener('connect', listener)
    await settle(provider.request({ method: 'eth_blockNumber' }))
    expect(listener).not.toHaveBeenCalled()
  })
})

test.each([0, -1, 1.5, Number.NaN])('%d is not a valid chain', (chainId) => {
  expect(() => createProvider({ url: 'http://drover.test', chainId })).toThrow(ProviderRpcError)
})
