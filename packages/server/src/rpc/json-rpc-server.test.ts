/** A batch of reads is answered whole, and leaves the database and the nodes to others. */
import { expect, test } from 'vitest'
import { LOCAL_CALLER } from '../core/access/caller.ts'
import { createReadTurns } from '../engine/tenants/read-turns.ts'
import type { Upstream } from '../ports/upstream.ts'
import { createManualClock } from '../testing/engine/manual-clock.ts'
import { createRecordingTelemetry } from '../testing/telemetry/recording-telemetry.ts'
import { createJsonRpcServer } from './json-rpc-server.ts'

const hashOf = (index: number) => `0x${index.toString(16).padStart(64, '0')}`

/** A database and a node that take a moment, and count how much is asked of them at one time. */
function start() {
  const asked = { running: 0, most: 0, reads: 0 }
  const pause = () => new Promise((resolve) => setImmediate(resolve))
  const read = async <T>(answer: T): Promise<T> => {
    asked.running++
    asked.reads++
    asked.most = Math.max(asked.most, asked.running)
    await pause()
    asked.running--
    return answer
  }
  const upstream: Omit<Upstream, 'onHeadHint'> = {
    chainId: 1,
    forward: async (requests) => {
      await pause()
      return requests.map(({ params: [hash] }) => ({ type: 'result', result: { transactionHash: hash } }))
    },
    readPending: async () => null,
    distanceMs: () => 0,
  }
  const endpoint = createJsonRpcServer({
    upstreams: [upstream as Upstream],
    store: {
      findTransactionByHash: () => read(null),
      listSigners: () => read([]),
      readNonceLine: () => read({ cursor: 0, recyclable: [], queued: 0 }),
      listen: () => () => {},
    },
    acceptBatch: async () => [],
    waits: {
      enter: () => {
        throw new Error('nobody waits')
      },
    },
    signers: { peek: () => null },
    explain: () => Promise.reject(new Error('nobody waits')),
    reads: createReadTurns(),
    inPieces: async (_tenant, items, map) => items.map(map),
    ownAddresses: () => [],
    chargeItems: () => {},
    recordRefusal: async () => {},
    clock: createManualClock(),
    telemetry: createRecordingTelemetry(),
    settings: { holdTimeoutMs: 1_000, allowedMethods: [], maxSockets: 1 },
  })
  const ask = async (tenant: string, method: string, count: number) => {
    const calls = Array.from({ length: count }, (_, id) => ({ jsonrpc: '2.0', id, method, params: [hashOf(id)] }))
    const caller = { ...LOCAL_CALLER, keyId: 'k', tenant }
    const context = { chain: null, caller, idempotencyKey: null, own: new Map(), gone: { aborted: false } }
    return JSON.parse((await endpoint.answer(JSON.stringify(calls), context)) ?? '[]')
  }
  return { asked, ask }
}

test('a thousand receipts in one batch are all found, each in its place', async () => {
  const { ask } = start()
  const answers = await ask('ann', 'eth_getTransactionReceipt', 1_000)
  expect(answers.filter((answer: object) => 'error' in answer)).toEqual([])
  expect(answers.map(({ result }: { result: { transactionHash: string } }) => result.transactionHash)).toEqual(
    Array.from({ length: 1_000 }, (_, index) => hashOf(index)),
  )
})

test.each(['eth_getTransactionReceipt', 'eth_getTransactionByHash', 'eth_accounts'])(
  'twenty batches of %s ask the database for a few things at a time, and another tenant does not wait for them',
  async (method) => {
    const { ask, asked } = start()
    const floods = Array.from({ length: 20 }, () => ask('flood', method, 1_000))
    await new Promise((resolve) => setImmediate(resolve))
    const before = asked.reads
    await ask('bob', method, 1)
    expect(asked.reads - before).toBeLessThan(60)
    expect(asked.most).toBeLessThanOrEqual(6)
    await Promise.all(floods)
  },
)
