import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { createSystemClock } from '../../app/system-clock.ts'
import type { Clock } from '../../ports/clock.ts'
import { createJsonRpcClient, type JsonRpcClient, type JsonRpcOptions } from './json-rpc.ts'
import type { RpcRequest } from './read-reply.ts'
import { parseRpcUrls } from './rpc-url.ts'

interface WireCall {
  readonly id: number
  readonly method: string
}
type Node = (calls: readonly WireCall[], isBatch: boolean) => { readonly status?: number; readonly body: unknown }

const opened: { readonly server: Server; readonly client: JsonRpcClient }[] = []
afterEach(async () => {
  for (const { server, client } of opened.splice(0)) {
    client.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

/** A client of a node that answers as told, and the sizes of the requests that the node got. */
async function open(node: Node, options: Partial<JsonRpcOptions> = {}, clock: Clock = createSystemClock()) {
  const sizes: number[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const parsed = JSON.parse(text) as WireCall | WireCall[]
    const calls = Array.isArray(parsed) ? parsed : [parsed]
    sizes.push(calls.length)
    const { status = 200, body } = node(calls, Array.isArray(parsed))
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const [target] = parseRpcUrls([`http://127.0.0.1:${(server.address() as AddressInfo).port}`])
  if (target === undefined) throw new Error('one URL gives one target')
  const limits = { timeoutMs: 30_000, maxConcurrent: 4, maxBatch: 100, maxResponseBytes: 1_000_000, ...options }
  const client = createJsonRpcClient(target, { ...limits, clock })
  opened.push({ server, client })
  return { client, sizes }
}

function requests(count: number): readonly RpcRequest[] {
  return Array.from({ length: count }, (_, index) => ({ method: `m${index}`, params: [] }))
}
const echo = (calls: readonly WireCall[]) => calls.map(({ id, method }) => ({ jsonrpc: '2.0', id, result: method }))
const results = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ type: 'result', result: `m${index}` }))
const single: Node = ([call]) => ({ body: call && echo([call])[0] })

describe('batches', () => {
  test('are bounded, and answers may come in any order', async () => {
    const { client, sizes } = await open((calls, isBatch) =>
      isBatch ? { body: echo(calls).reverse() } : single(calls, false),
    )
    expect(await client.send(requests(250), false)).toEqual(results(250))
    expect(sizes.sort()).toEqual([100, 100, 50])
    expect(await client.send(requests(1), false)).toEqual(results(1))
  })

  const refusals: readonly (readonly [string, { status?: number; body: unknown }])[] = [
    [
      'an error object',
      { body: { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'Batching is disabled' } } },
    ],
    ['HTTP 400', { status: 400, body: 'bad request' }],
    ['HTTP 405', { status: 405, body: '' }],
  ]
  test('refused by a node in trouble are tried again after a while', async () => {
    let [healthy, laterMs] = [false, 0]
    const system = createSystemClock()
    const { client, sizes } = await open(
      (calls, isBatch) => {
        if (!isBatch) return single(calls, false)
        return healthy ? { body: echo(calls) } : { status: 404, body: 'no such route' }
      },
      {},
      { ...system, monotonic: () => system.monotonic() + laterMs },
    )
    expect(await client.send(requests(3), true)).toEqual(results(3))
    healthy = true
    laterMs = 30_000
    expect(await client.send(requests(2), true)).toEqual(results(2))
    laterMs = 61_000
    expect(await client.send(requests(4), true)).toEqual(results(4))
    expect(sizes).toEqual([3, 1, 1, 1, 1, 1, 4])
  })

  test.each(refusals)('refused with %s are sent one by one from then on', async (_, refusal) => {
    const { client, sizes } = await open((calls, isBatch) => (isBatch ? refusal : single(calls, false)))
    expect(await client.send(requests(5), true)).toEqual(results(5))
    expect(await client.send(requests(2), true)).toEqual(results(2))
    expect(sizes).toEqual([5, 1, 1, 1, 1, 1, 1, 1])
  })

  const tooLarge: readonly (readonly [string, (calls: readonly WireCall[]) => { status?: number; body: unknown }])[] = [
    ['HTTP 413', () => ({ status: 413, body: 'too large' })],
    ['an error object', () => ({ body: { id: null, error: { code: -32600, message: 'batch limit of 10 exceeded' } } })],
    [
      'an error for the first only',
      (calls) => ({ body: [{ id: calls[0]?.id, error: { code: -32600, message: 'batch too large' } }] }),
    ],
  ]
  test.each(tooLarge)('that are too large, reported as %s, are halved until they fit', async (_, refuse) => {
    const { client, sizes } = await open((calls, isBatch) => {
      if (!isBatch) return single(calls, false)
      return calls.length > 10 ? refuse(calls) : { body: echo(calls) }
    })
    expect(await client.send(requests(32), true)).toEqual(results(32))
    expect(sizes).toEqual([32, 16, 8, 8, 8, 8])
    expect(await client.send(requests(9), true)).toEqual(results(9))
    expect(sizes.slice(6)).toEqual([8, 1])
  })

  test('that are ordered stop at a lost answer: later calls are not sent', async () => {
    const { client, sizes } = await open(
      (calls) => (calls[0]?.method === 'm2' ? { body: 'nonsense' } : { body: echo(calls) }),
      { maxBatch: 2 },
    )
    const replies = await client.send(requests(6), true)
    expect(replies.map(({ type }) => type)).toEqual(['result', 'result', 'lost', 'lost', 'unreached', 'unreached'])
    expect(sizes).toEqual([2, 2])
  })
})

describe('single answers', () => {
  test('with an error keep code, message and data, whatever the HTTP status', async () => {
    const error = { code: -32000, message: 'nonce too low', data: '0x01' }
    const { client } = await open(([call]) => ({ status: 500, body: { id: call?.id, error } }))
    expect(await client.send(requests(1), false)).toEqual([{ type: 'error', error: { ...error, httpStatus: 500 } }])
  })

  test('with an error without an id belong to the call that was made', async () => {
    const { client } = await open(() => ({ body: { id: null, error: { code: -32700, message: 'parse error' } } }))
    expect(await client.send(requests(1), false)).toMatchObject([{ type: 'error', error: { message: 'parse error' } }])
  })

  test('without end are cut off', async () => {
    const { client } = await open(() => ({ body: 'x'.repeat(5_000) }), { maxResponseBytes: 1_000 })
    expect(await client.send(requests(1), false)).toMatchObject([{ type: 'lost', message: 'no answer (TOO_LARGE)' }])
  })

  test('from a closed port count as not sent', async () => {
    const { client } = await open(single)
    const [entry] = opened
    entry?.server.closeAllConnections()
    await new Promise((resolve) => entry?.server.close(resolve))
    expect(await client.send(requests(2), false)).toMatchObject([{ type: 'unreached' }, { type: 'unreached' }])
  })
})
