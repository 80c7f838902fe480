/**
 * The RPC breaks in every way that is not a clear answer, at every method that the service uses, and heals: nothing is
 * failed, queued again or sent twice, and the service is ready again by itself.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../setup/eventually.ts'
import { change, drop, garbage, httpStatus, omit, type Reaction, rpcError } from '../setup/rpc-reactions.ts'
import { expectExactlyOnce, PRESETS, type SingleNode, startSingleNode } from './single-node.ts'

const WRONG_IDS = '[{"jsonrpc":"2.0","id":987654321,"result":"0x1"},{"jsonrpc":"2.0","id":null,"result":null}]'

/** Each once at least while the node works, and once more after the node has taken the call. */
const FAULTS: readonly (readonly [string, Reaction])[] = [
  ['a page of HTML', garbage({ forward: true })],
  ['JSON that is cut off', garbage({ forward: true, body: '{"jsonrpc":"2.0","id":1,"result":"0x' })],
  ['an empty body', garbage({ forward: true, body: '' })],
  ['replies to other requests', garbage({ forward: true, body: WRONG_IDS })],
  ['missing replies', omit({ forward: true })],
  ['results of the wrong type', change(() => ({ surprise: ['0x1'] }))],
  ['HTTP 429', httpStatus(429, { forward: true, headers: { 'retry-after': '1' } })],
  ['HTTP 500', httpStatus(500, { forward: true })],
  ['HTTP 503 before the node', httpStatus(503)],
  ['errors in unknown words', rpcError(-32000, 'the flux capacitor is out of tune')],
  ['broken connections', drop({ forward: true })],
]

/** Those that each transaction needs, with how often they break. Preparation backs off, so it breaks less often. */
const METHODS = {
  eth_estimateGas: 2,
  eth_feeHistory: 1,
  eth_sendRawTransaction: 2,
  eth_blockNumber: 2,
  eth_getBlockByNumber: 2,
  eth_getBlockByHash: 2,
} as const

describe.each(PRESETS)('%s', (preset) => {
  let node: SingleNode

  beforeAll(async () => {
    node = await startSingleNode({ preset })
  })
  afterEach(() => node.proxy.reset())
  afterAll(() => node.close())

  test.each(FAULTS)('%s, at every method in turn: one execution each', async (_, fault) => {
    const left = new Map<string, number>()
    const breakNext = (method: string, times: number) => {
      left.set(method, times)
      node.proxy.next(
        method,
        () => {
          left.set(method, (left.get(method) ?? 0) - 1)
          return fault
        },
        times,
      )
    }
    for (const [method, times] of Object.entries(METHODS)) breakNext(method, times)
    // A lane with one transaction in flight asks for its receipt, one with several for those of the block.
    const receipts = preset === 'stable' ? 'eth_getTransactionReceipt' : 'eth_getBlockReceipts'
    breakNext(receipts, 4)
    const ids = await node.sendTogether(3)
    await eventually(
      async () => {
        // Two at a time, so that the follower has to walk back.
        await node.chain.mine(2)
        return (await Promise.all(ids.map(node.read))).map(({ state }) => state)
      },
      (states) => states.every((state) => state === 'CONFIRMED'),
      { everyMs: 150 },
    )
    expect([...left].filter(([, times]) => times > 0)).toEqual([])
    await eventually(node.isReady, (ready) => ready)
    await expectExactlyOnce(node)
  })

  test('everything at once for longer than the service waits to call itself unready', async () => {
    let call = 0
    const heal = node.proxy.on('*', () => FAULTS[call++ % FAULTS.length]?.[1])
    const ids = await node.sendTogether(3)
    await eventually(node.isReady, (ready) => !ready)
    expect((await node.drover().get('/healthz')).status).toBe(200)
    heal()
    await eventually(node.isReady, (ready) => ready)
    await node.mineUntil(ids, 'CONFIRMED')
    await expectExactlyOnce(node)
  })

  test('nobody answers at all for a while, in the middle of a flight', async () => {
    const ids = await node.sendTogether(3)
    await node.until(ids[0] ?? '', ({ state }) => state === 'TRACKING')
    node.proxy.setDown(true)
    await node.chain.mine(1)
    await eventually(node.isReady, (ready) => !ready)
    node.proxy.setDown(false)
    await eventually(node.isReady, (ready) => ready)
    await node.mineUntil(ids, 'CONFIRMED')
    await expectExactlyOnce(node)
  })
})
