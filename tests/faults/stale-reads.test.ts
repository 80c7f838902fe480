/** A node that lags behind: old counts, and no receipt for what is mined. Neither proves anything against our bytes. */
import { afterEach, describe, expect, test } from 'vitest'
import { eventually } from '../setup/eventually.ts'
import { answer, change, nullResult } from '../setup/rpc-reactions.ts'
import { expectUndisturbed } from './expect-undisturbed.ts'
import { PRESETS, type SingleNode, startSingleNode } from './single-node.ts'

const FINALITY = 2

let node: SingleNode

afterEach(() => node.close())

/** What the service has seen of the chain is what is there. */
async function followed(): Promise<void> {
  const head = await node.chain.blockNumber()
  await eventually(
    () => node.metric('drover_head_block'),
    (seen) => seen === head,
  )
}

/** Block by block, so that each is a look of its own. */
async function mineFollowed(blocks: number): Promise<void> {
  for (let block = 0; block < blocks; block++) {
    await node.chain.mine(1)
    await followed()
  }
}

function hideReceipts(): () => void {
  const shown = [
    node.proxy.on('eth_getTransactionReceipt', nullResult),
    node.proxy.on('eth_getBlockReceipts', answer([])),
  ]
  return () => {
    for (const show of shown) show()
  }
}

describe.each(PRESETS)('%s', (preset) => {
  test('nonce counts that stay at zero, then lag, change nothing', async () => {
    node = await startSingleNode({ preset })
    const heal = node.proxy.on('eth_getTransactionCount', answer('0x0'))
    for (let round = 0; round < 3; round++) await node.mineUntil([await node.send(), await node.send()], 'CONFIRMED')
    heal()
    node.proxy.on(
      'eth_getTransactionCount',
      change((count) => `0x${Math.max(0, Number(count) - 2).toString(16)}`),
    )
    await node.mineUntil([await node.send(), await node.send()], 'CONFIRMED')
    await expectUndisturbed(node)
  })

  test('no receipt for a mined transaction until long past finality: not lost, CONFIRMED once there is one', async () => {
    node = await startSingleNode({ preset, env: { DROVER_FINALITY: `${FINALITY}` } })
    const ids = await node.sendTogether(preset === 'fast' ? 3 : 1)
    for (const id of ids) await node.until(id, ({ state }) => state === 'TRACKING')
    const show = hideReceipts()
    await mineFollowed(FINALITY * 8)
    await node.proxy.awaitCalls('eth_getTransactionReceipt', 20)
    for (const id of ids) expect(await node.read(id)).toMatchObject({ state: 'TRACKING', inclusion: null })
    show()
    await node.mineUntil(ids, 'CONFIRMED')
    await node.mineUntil([await node.send()], 'CONFIRMED')
    await expectUndisturbed(node)
  })

  test('no receipt, and a restart after which the block is below the window: its transaction list proves it is ours', async () => {
    node = await startSingleNode({ preset, env: { DROVER_FINALITY: `${FINALITY}`, DROVER_HEADER_WINDOW: '16' } })
    const ids = await node.sendTogether(preset === 'fast' ? 3 : 1)
    for (const id of ids) await node.until(id, ({ state }) => state === 'TRACKING')
    const show = hideReceipts()
    // The service stops before the block that holds them, and is back when that is far below all that it reads.
    await node.stopService()
    await node.chain.mine(1)
    await node.chain.mine(40)
    await node.start()
    await mineFollowed(FINALITY * 3)
    for (const id of ids) expect(await node.read(id)).toMatchObject({ state: 'TRACKING', inclusion: null })
    const find = node.proxy.on('eth_getTransactionByHash', nullResult)
    // That is the last question before a nonce is called lost.
    const asked = node.proxy.count('eth_getTransactionByHash')
    await mineFollowed(FINALITY * 3)
    await node.proxy.awaitCalls('eth_getTransactionByHash', asked + 1)
    await mineFollowed(FINALITY)
    for (const id of ids) expect(await node.read(id)).toMatchObject({ state: 'TRACKING', inclusion: null })
    show()
    find()
    await node.mineUntil(ids, 'CONFIRMED')
    await expectUndisturbed(node)
  })
})

test('stable: a pending count that is too high does not matter once the lane has a cursor', async () => {
  node = await startSingleNode({ preset: 'stable' })
  await node.mineUntil([await node.send()], 'CONFIRMED')
  node.proxy.on(
    'eth_getTransactionCount',
    change((count, { params }) => (params[1] === 'pending' ? `0x${(Number(count) + 5).toString(16)}` : count)),
  )
  const ids = [await node.send(), await node.send()]
  await node.mineUntil(ids, 'CONFIRMED')
  expect((await Promise.all(ids.map(node.read))).map(({ nonce }) => nonce)).toEqual([1, 2])
  await expectUndisturbed(node)
})
