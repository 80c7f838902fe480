import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { LOCAL_CALLER } from '../core/access/caller.ts'
import { createReadTurns } from '../engine/tenants/read-turns.ts'
import type { Upstream } from '../ports/upstream.ts'
import { createMemoryStore } from '../testing/store/memory-store.ts'
import { createRecordingTelemetry } from '../testing/telemetry/recording-telemetry.ts'
import { createJsonRpcServer } from './json-rpc-server.ts'
import { registerRpc } from './register-rpc.ts'

const clock = { now: () => 0, monotonic: () => 0, schedule: () => () => {} }

/** Answers every call with the chain that it was sent to. */
function upstreamOf(chainId: number): Upstream {
  return {
    chainId,
    forward: async (requests) => requests.map(({ method }) => ({ type: 'result', result: answerTo(method, chainId) })),
    readPending: async () => null,
    distanceMs: () => 0,
    onHeadHint: () => () => {},
  }
}

function answerTo(method: string, chainId: number): unknown {
  return method === 'eth_getCode' ? `0x${'00'.repeat(5 * 1024 * 1024)}` : chainId
}

function start(chainIds: readonly number[]) {
  const telemetry = createRecordingTelemetry()
  const endpoint = createJsonRpcServer({
    upstreams: chainIds.map(upstreamOf),
    acceptBatch: async () => [],
    waits: {
      enter: () => {
        throw new Error('nothing is sent here')
      },
    },
    store: createMemoryStore({ clock }),
    signers: { peek: () => null },
    explain: () => Promise.reject(new Error('nobody waits')),
    reads: createReadTurns(),
    inPieces: async (_tenant, items, map) => items.map(map),
    ownAddresses: () => [],
    recordRefusal: async () => {},
    chargeItems: () => {},
    clock,
    telemetry,
    settings: { holdTimeoutMs: 1_000, allowedMethods: [], maxSockets: 1 },
  })
  const server = Fastify()
  const sockets = { attach: () => {}, close: () => {} }
  registerRpc(server, { endpoint, sockets, callerOf: () => LOCAL_CALLER })
  const post = async (url: string, payload: string | object, headers: Record<string, string> = {}) => {
    const reply = await server.inject({
      method: 'POST',
      url,
      payload,
      headers: { 'content-type': 'application/json', ...headers },
    })
    return { status: reply.statusCode, body: reply.body === '' ? null : reply.json() }
  }
  return { post, telemetry }
}

const CALL = { jsonrpc: '2.0', id: 1, method: 'eth_gasPrice', params: [] }

test('where there are several chains the path has to name one', async () => {
  const { post } = start([1, 10])
  expect(await post('/rpc/10', CALL)).toEqual({ status: 200, body: { jsonrpc: '2.0', id: 1, result: 10 } })
  const error = { code: -32600, message: 'name the chain in the path: /rpc/1, /rpc/10' }
  expect(await post('/rpc', CALL)).toMatchObject({ status: 200, body: { id: 1, error } })
  expect(await post('/rpc/2', CALL)).toMatchObject({ body: { error: { message: expect.stringContaining('1, 10') } } })
})

test('what is refused as a whole is refused under the ids of its calls, which clients look for', async () => {
  const { post } = start([1, 10])
  const { body } = await post('/rpc', [{ ...CALL, id: 'a' }, { jsonrpc: '2.0', method: 'eth_gasPrice' }, 5])
  expect(body.map(({ id }: { id: unknown }) => id)).toEqual(['a', null])
  expect(await post('/rpc', { jsonrpc: '2.0', method: 'eth_gasPrice' })).toEqual({ status: 204, body: null })
})

test('params may be null, and an id that cannot be repeated is refused', async () => {
  const { post } = start([1])
  expect(await post('/rpc', { ...CALL, params: null })).toMatchObject({ body: { id: 1, result: 1 } })
  const huge = JSON.stringify(CALL).replace('"id":1', '"id":1e400')
  expect(await post('/rpc', huge)).toMatchObject({ body: { id: null, error: { code: -32600 } } })
})

test('a body that is too large is turned down in words that a client can read', async () => {
  const { post } = start([1])
  const answer = await post('/rpc', `"${'x'.repeat(4 * 1024 * 1024)}"`)
  expect(answer).toMatchObject({ status: 413, body: { jsonrpc: '2.0', id: null, error: { code: -32600 } } })
})

test('answers that are too large together are cut off call by call', async () => {
  const { post } = start([1])
  const calls = Array.from({ length: 5 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'eth_getCode', params: [] }))
  const { body } = await post('/rpc', calls)
  expect(body.map((answer: object) => 'result' in answer)).toEqual([true, true, true, false, false])
  expect(body[4]).toMatchObject({ id: 4, error: { code: -32000, message: expect.stringContaining('32 MiB') } })
})

test.each(['', ' a', 'ü', 'x'.repeat(191)])('the idempotency key %j is refused', async (key) => {
  const { post } = start([1])
  const answer = await post('/rpc', CALL, { 'idempotency-key': key })
  expect(answer).toMatchObject({ status: 200, body: { id: 1, error: { code: -32600 } } })
})

test('what a caller makes up is not counted by its name', async () => {
  const { post, telemetry } = start([1])
  await post('/rpc', { ...CALL, method: 'made_up' })
  await post('/rpc', CALL)
  const count = (method: string, outcome: string) =>
    telemetry.valueOf('drover_rpc_calls_total', { chainId: 1, method, outcome })
  expect([count('other', 'error'), count('eth_gasPrice', 'result'), count('made_up', 'error')]).toEqual([1, 1, 0])
})
