/** A node that answers with a hash for what it does not keep, as geth does: here as a proxy, so that it runs everywhere. */
import { afterEach, expect } from 'vitest'
import { eventually } from '../setup/eventually.ts'
import { installGethLikePool } from '../setup/geth-like-pool.ts'
import { change, nullResult } from '../setup/rpc-reactions.ts'
import { expectUndisturbed } from './expect-undisturbed.ts'
import { scenario } from './scenario.ts'
import { type SingleNode, startSingleNode } from './single-node.ts'

const SEND = 'eth_sendRawTransaction'
const POOL = { globalSlots: 12, accountSlots: 4, globalQueue: 4, accountQueue: 2 }
/** Nothing goes out again because of the clock: what is sent again is what was found missing. */
const SLOW = { DROVER_RESUBMIT_INTERVAL: '600s', DROVER_BUMP_AFTER: '600s' }

let node: SingleNode

afterEach(() => node.close())

const readWindow = async () => (await node.drover().get(`/v1/signers/${node.sender.address}`)).body.lanes[0].window

scenario(
  '60 intents to a pool that silently keeps only 12: no sending ahead, all mined, none bumped',
  async (remark) => {
    node = await startSingleNode({ preset: 'fast', env: SLOW })
    const geth = installGethLikePool(node.proxy, node.chain, POOL)
    const ids = await node.sendTogether(60)
    // The node's pending count tells it, before any block does.
    await eventually(
      () => node.metric('drover_window_changes_total', 'dropped'),
      (changes) => changes > 0,
    )
    await node.mineUntil(ids, 'CONFIRMED')
    const window = await readWindow()
    expect(await node.metric('drover_replacements_total')).toBe(0)
    // Without a window every block would have all of them sent again.
    expect(node.proxy.count(SEND)).toBeLessThan(5 * ids.length)
    remark(`${node.proxy.count(SEND)} sends, ${geth.hidden()} of them hidden refusals; window ${window.size}`)
    await expectUndisturbed(node)
  },
)

scenario(
  'the pool loses everything between two blocks: resent after the next block, without waiting for the interval',
  async () => {
    node = await startSingleNode({ preset: 'fast', env: SLOW })
    const ids = await node.sendTogether(10)
    await eventually(
      async () => node.proxy.count(SEND),
      (sent) => sent === 10,
    )
    for (const id of ids) await node.until(id, ({ state }) => state === 'TRACKING')
    await node.chain.dropAllTransactions()
    await node.mineUntil(ids, 'CONFIRMED')
    await expectUndisturbed(node)
  },
)

scenario('a node hides one transaction forever: it is resent less and less often', async () => {
  node = await startSingleNode({ preset: 'fast', env: SLOW })
  const id = await node.send()
  const { hash } = await node.until(id, ({ state }) => state === 'TRACKING')
  await node.chain.dropTransaction(hash)
  const heal = node.proxy.on(SEND, { type: 'answer', result: hash })
  node.proxy.on('eth_getTransactionByHash', ({ params: [asked] }) => (asked === hash ? nullResult : undefined))
  const before = node.proxy.count(SEND)
  for (let block = 0; block < 24; block++) {
    const head = await node.chain.blockNumber()
    await node.chain.mine(1)
    await eventually(
      async () => (await node.drover().get('/v1/chains')).body.items[0].head.number,
      (seen) => seen > head,
    )
  }
  const again = node.proxy.count(SEND) - before
  expect(again).toBeGreaterThan(1)
  expect(again).toBeLessThan(10)
  heal()
  await node.mineUntil([id], 'CONFIRMED')
  await expectUndisturbed(node)
})

scenario(
  'a node whose pending count equals its latest: Drover asks by hash, and the window does not shrink',
  async () => {
    node = await startSingleNode({ preset: 'fast', env: SLOW })
    node.proxy.on('eth_getTransactionCount', ({ params: [address, tag] }) =>
      tag === 'pending'
        ? change(async () => await node.chain.rpc('eth_getTransactionCount', [address, 'latest']))
        : undefined,
    )
    const ids = await node.sendTogether(40)
    await eventually(
      async () => node.proxy.count(SEND),
      (sent) => sent === 40,
    )
    await node.mineUntil(ids, 'CONFIRMED')
    expect(node.proxy.count(SEND)).toBe(40)
    expect((await readWindow()).ceiling).toBeNull()
    await expectUndisturbed(node)
  },
)
