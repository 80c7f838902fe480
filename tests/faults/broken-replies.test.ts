/**
 * The RPC breaks in every way that is not a clear answer, at every method that the service uses, and heals: nothing is
 * failed, queued again or sent twice, and the service is ready again by itself.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../setup/eventually.ts'
import { change, drop, garbage, httpStatus, omit, type Reaction, rpcError } from '../setup/rpc-reactions.ts'
import { expectUndisturbed } from './expect-undisturbed.ts'
import { PRESETS, type SingleNode, startSingleNode } from './single-node.ts'

const WRONG_IDS = '[{"jsonrpc":"2.0","id":987654321,"result":"0x1"},{"jsonrpc":"2.0","id":null,"result":null}]'

const FAULTS: readonly (readonly [string, Reaction])[] = [
  ['a page of HTML', garbage({ forward: true })],
  ['JSON that is cut off', garbage({ forward: true, body: '{"jsonrpc":"2.0","id":1,"result":"0x' })],
  ['an empty body', garbage({ forward: true, body: '' })],
  ['replies to other requests', garbage({ forward: true, body: WRONG_IDS })],
  ['missing replies', omit({ forward: true })],
  ['results of the wrong type', change(() => ({ surprise: ['0x1'] }))],
  ['HTTP 429', httpStatus(429, { forward: true })],
  ['HTTP 500', httpStatus(500, { forward: true })],
  ['HTTP 503 before the node', httpStatus(503)],
  ['errors in unknown words', rpcError(-32000, 'the flux capacitor is out of tune')],
  ['broken connections', drop({ forward: true })],
]

/** What it takes to prepare an intent that was accepted. Each failure is followed by a growing pause, so there are few. */
const PREPARE = { eth_feeHistory: 1, eth_getTransactionCount: 1, eth_estimateGas: 1, eth_getBalance: 1 } as const
const CARRY_OUT = {
  eth_sendRawTransaction: 2,
  eth_blockNumber: 1,
  eth_getBlockByNumber: 1,
  eth_getBlockByHash: 1,
} as const

const TOO_LONG = { timeoutMs: 90_000 }

let node: SingleNode

/** Breaks the next calls of a method; tells how many of them are still to come. */
function breakNext(method: string, fault: Reaction, times: number): () => number {
  let left = times
  const react = () => {
    left--
    return fault
  }
  node.proxy.next(method, react, times)
  return () => left
}

async function mineAll(ids: readonly string[]): Promise<void> {
  for (const id of ids)
    await eventually(
      () => node.read(id),
      ({ state }) => state === 'TRACKING',
      TOO_LONG,
    )
  await eventually(
    async () => {
      // Two at a time, so that the follower has to walk back.
      await node.chain.mine(2)
      return (await Promise.all(ids.map(node.read))).map(({ state }) => state)
    },
    (states) => states.every((state) => state === 'CONFIRMED'),
    { ...TOO_LONG, everyMs: 150 },
  )
}

async function mineAndFollow(): Promise<void> {
  await node.chain.mine(1)
  const height = await node.chain.blockNumber()
  await eventually(
    () => node.metric('drover_head_block'),
    (seen) => seen === height,
  )
}

describe('one fault at each method in turn', () => {
  beforeAll(async () => {
    node = await startSingleNode({ preset: 'fast' })
  })
  afterEach(() => node.proxy.reset())
  afterAll(() => node.close())

  test.each(FAULTS)('%s: one execution each', async (_, fault) => {
    // Whether it would revert cannot be found out; it is accepted all the same.
    const toCome = new Map([['at acceptance', breakNext('eth_estimateGas', fault, 1)]])
    const breakAll = (methods: Readonly<Record<string, number>>) => {
      for (const [method, times] of Object.entries(methods)) toCome.set(method, breakNext(method, fault, times))
    }
    // Several in flight share one request for the receipts of their block, which is made up to three times; a node that
    // asked for a pause is not asked again so soon. One alone has its own receipt asked for.
    const tries = fault.type === 'http' && fault.status === 429 ? 1 : 3
    const together = await node.sendTogether(3, async () => {
      // What acceptance found out holds for its block: at the next one the lane has to ask again.
      await mineAndFollow()
      breakAll({ ...PREPARE, ...CARRY_OUT, eth_getBlockReceipts: tries })
    })
    await mineAll(together)
    const alone = await node.sendTogether(1, () => breakAll({ ...CARRY_OUT, eth_getTransactionReceipt: 4 }))
    await mineAll(alone)
    expect([...toCome].filter(([, left]) => left() > 0).map(([method]) => method)).toEqual([])
    await eventually(node.isReady, (ready) => ready)
    await expectUndisturbed(node)
  })
})

describe.each(PRESETS)('%s', (preset) => {
  beforeAll(async () => {
    node = await startSingleNode({ preset })
  })
  afterEach(() => node.proxy.reset())
  afterAll(() => node.close())

  test('all methods fail in all ways, until the service reports itself unready', async () => {
    let call = 0
    const heal = node.proxy.on('*', () => FAULTS[call++ % FAULTS.length]?.[1])
    const ids = await node.sendTogether(3)
    await eventually(node.isReady, (ready) => !ready)
    expect((await node.drover().get('/healthz')).status).toBe(200)
    heal()
    await eventually(node.isReady, (ready) => ready)
    await node.mineUntil(ids, 'CONFIRMED')
    await expectUndisturbed(node)
  })

  test('no answer at all for a while, with transactions in flight', async () => {
    const ids = await node.sendTogether(3)
    await node.until(ids[0] ?? '', ({ state }) => state === 'TRACKING')
    node.proxy.setDown(true)
    await node.chain.mine(1)
    await eventually(node.isReady, (ready) => !ready)
    node.proxy.setDown(false)
    await eventually(node.isReady, (ready) => ready)
    await node.mineUntil(ids, 'CONFIRMED')
    await expectUndisturbed(node)
  })
})
