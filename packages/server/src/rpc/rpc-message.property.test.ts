/** Whatever is sent is answered in JSON-RPC, and nothing that is sent breaks anything. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LOCAL_CALLER } from '../core/access/caller.ts'
import { createReadTurns } from '../engine/tenants/read-turns.ts'
import { createMemoryStore } from '../testing/store/memory-store.ts'
import { createRecordingTelemetry } from '../testing/telemetry/recording-telemetry.ts'
import { createJsonRpcServer } from './json-rpc-server.ts'
import { PASSED_ON } from './methods.ts'

const clock = { now: () => 0, monotonic: () => 0, schedule: () => () => {} }
const telemetry = createRecordingTelemetry()
const endpoint = createJsonRpcServer({
  upstreams: [
    {
      chainId: 1,
      forward: async (requests) => requests.map((request) => ({ type: 'result', result: JSON.stringify(request) })),
      readPending: async () => null,
      distanceMs: () => 0,
      onHeadHint: () => () => {},
    },
  ],
  acceptBatch: async (requests) => requests.map(() => ({ status: 'rejected', reason: new Error('never valid here') })),
  waits: {
    enter: () => {
      throw new Error('never valid here')
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
  settings: { holdTimeoutMs: 1, allowedMethods: [], maxSockets: 1 },
})

const OWN = ['eth_sendTransaction', 'eth_accounts', 'eth_getTransactionReceipt', 'eth_getTransactionByHash']
const MORE = ['eth_getTransactionCount', 'eth_sendRawTransaction', 'eth_subscribe', '__proto__', 'toString', '']
const FIELDS = ['from', 'to', 'value', 'data', 'gas', 'nonce', '__proto__', 'constructor', 'chainId', 'type']
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.constantFrom('0x', '0x1', `0x${'0'.repeat(64)}`, '\u0000', '\ud800'),
)
const call = fc.record(
  {
    jsonrpc: fc.oneof({ weight: 9, arbitrary: fc.constant('2.0') }, { weight: 1, arbitrary: value }),
    id: value,
    method: fc.oneof(fc.constantFrom(...PASSED_ON, ...OWN, ...MORE), value),
    params: fc.oneof(
      fc.array(fc.oneof(value, fc.dictionary(fc.constantFrom(...FIELDS), value)), { maxLength: 4 }),
      value,
    ),
  },
  { requiredKeys: [] },
)
const message = fc.oneof(
  call.map((one) => JSON.stringify(one)),
  fc.array(fc.oneof(call, value), { maxLength: 8 }).map((batch) => JSON.stringify(batch)),
  fc.string(),
  fc.json().map((text) => text.slice(1)),
)

function expectAnswer(answer: unknown): void {
  expect(answer).toMatchObject({ jsonrpc: '2.0' })
  const { id, result, error } = answer as { id: unknown; result?: unknown; error?: { code: number; message: string } }
  expect(id === null || typeof id === 'string' || typeof id === 'number').toBe(true)
  expect((result === undefined) !== (error === undefined)).toBe(true)
  if (error === undefined) return
  expect(error.code).not.toBe(-32603)
  expect(error.message).not.toBe('')
}

test('every message gets answers, and none of them is a bug', async () => {
  await fc.assert(
    fc.asyncProperty(message, async (text) => {
      const context = {
        chain: null,
        caller: LOCAL_CALLER,
        idempotencyKey: null,
        own: new Map(),
        gone: { aborted: false },
      }
      const written = await endpoint.answer(text, context)
      if (written === null) return
      const answer: unknown = JSON.parse(written)
      for (const one of Array.isArray(answer) ? answer : [answer]) expectAnswer(one)
    }),
    { numRuns: 3_000 },
  )
  expect(telemetry.logs).toEqual([])
})
