/**
 * Blocks leave the canonical chain, under a running service and under a stopped one. The chain drops their transactions
 * from its pool as well, so that only Drover's own re-sending brings them back.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { revertingCode } from '../setup/contracts.ts'
import { eventually } from '../setup/eventually.ts'
import { expectUndisturbed } from './expect-undisturbed.ts'
import { PRESETS, type SingleNode, startSingleNode } from './single-node.ts'

const SEND = 'eth_sendRawTransaction'
const TARGET = '0x00000000000000000000000000000000000c0de3'

let node: SingleNode

const hashAt = async (number: number) =>
  (await node.chain.rpc<{ hash: string }>('eth_getBlockByNumber', [`0x${number.toString(16)}`, false])).hash
const eventsOf = async (id: string, type: string) => (await node.history(id)).filter((event) => event.type === type)

async function mined(id: string) {
  await node.until(id, ({ state }) => state === 'TRACKING')
  await node.chain.mine(1)
  return await node.until(id, ({ inclusion }) => inclusion !== null)
}

async function mineAndFollow(blocks: number): Promise<void> {
  await node.chain.mine(blocks)
  const head = await node.chain.blockNumber()
  await eventually(
    () => node.metric('drover_head_block'),
    (seen) => seen === head,
  )
}

/** The inclusion is taken back with the block that held it, and the same bytes go out again. */
async function expectWithdrawn(
  id: string,
  before: { readonly blockNumber: number; readonly blockHash: string } | null,
) {
  const [event] = await eventually(
    () => eventsOf(id, 'inclusion.reorged'),
    ({ length }) => length > 0,
  )
  expect(event).toMatchObject({
    cause: 'new_fork',
    toState: 'TRACKING',
    detail: { newFork: true, confirmations: [], blockNumber: before?.blockNumber, blockHash: before?.blockHash },
  })
}

describe.each(PRESETS)('%s: reorgs', (preset) => {
  // Each reorganisation is shallower than the finality under which those before it ended.
  beforeAll(async () => {
    node = await startSingleNode({ preset, env: { DROVER_FINALITY: '6' } })
    await node.chain.mine(4)
  })
  afterAll(() => node.close())

  test.each([1, 3])('of %i blocks, including the transaction: withdrawn, resent, mined again [G6]', async (depth) => {
    const id = await node.send()
    const { inclusion } = await mined(id)
    await mineAndFollow(depth - 1)
    const sends = node.proxy.count(SEND)
    await node.chain.reorg(depth)
    await expectWithdrawn(id, inclusion)
    await node.proxy.awaitCalls(SEND, sends + 1)
    await node.mineUntil([id], 'CONFIRMED')
    const tx = await node.read(id)
    expect(tx.inclusion?.blockHash).not.toBe(inclusion?.blockHash)
    expect(tx.confirmations.newForks).toBe(1)
    await expectUndisturbed(node)
  })

  test('of blocks above it only: it stays, and its list of confirmations is replaced', async () => {
    const id = await node.send()
    const { inclusion } = await mined(id)
    const at = inclusion?.blockNumber ?? 0
    await mineAndFollow(3)
    const replaced = [await hashAt(at + 2), await hashAt(at + 3)]
    await node.chain.reorg(2)
    const [event] = await eventually(
      () => eventsOf(id, 'confirmations.replaced'),
      ({ length }) => length > 0,
    )
    const list = event?.detail.confirmations as { blockNumber: number; blockHash: string }[]
    expect(event?.detail).toMatchObject({ newFork: true })
    expect(list.map(({ blockNumber }) => blockNumber)).toEqual([at + 1, at + 2, at + 3])
    for (const { blockNumber, blockHash } of list) expect(blockHash).toBe(await hashAt(blockNumber))
    for (const hash of replaced) expect(list.map(({ blockHash }) => blockHash)).not.toContain(hash)
    expect(await node.read(id)).toMatchObject({ state: 'TRACKING', inclusion, confirmations: { newForks: 1 } })
    await node.mineUntil([id], 'CONFIRMED')
    expect(await eventsOf(id, 'inclusion.reorged')).toEqual([])
    const { items } = (await node.drover().get(`/v1/transactions/${id}/confirmations`)).body
    expect(items.length).toBe(6)
    for (const { blockNumber, blockHash } of items) expect(blockHash).toBe(await hashAt(blockNumber))
    await expectUndisturbed(node)
  })

  test('while the service is stopped: noticed at start, resent, mined again [G6]', async () => {
    const id = await node.send()
    const { inclusion } = await mined(id)
    await node.stopService()
    await node.chain.rollback(1)
    await node.chain.mine(3)
    await node.start()
    await expectWithdrawn(id, inclusion)
    await node.mineUntil([id], 'CONFIRMED')
    await expectUndisturbed(node)
  })
})

describe.each(PRESETS)('%s: a reorg of everything the service remembers', (preset) => {
  afterEach(() => node.close())

  test('deeper than the header window: looked up by hash, withdrawn, resent [G6]', async () => {
    node = await startSingleNode({ preset, env: { DROVER_FINALITY: '4', DROVER_HEADER_WINDOW: '16' } })
    await mineAndFollow(30)
    const id = await node.send()
    const { inclusion } = await mined(id)
    const gaps = await node.metric('drover_gaps_total', 'part="follower"')
    await node.chain.reorg(25)
    await expectWithdrawn(id, inclusion)
    expect(await node.metric('drover_gaps_total', 'part="follower"')).toBe(gaps + 1)
    await node.mineUntil([id], 'CONFIRMED')
    await expectUndisturbed(node)
  })
})

describe('stable', () => {
  afterEach(() => node.close())

  test('a transaction that is in another block of the new fork follows it', async () => {
    node = await startSingleNode({ preset: 'stable', env: { DROVER_FINALITY: '6' } })
    await node.chain.mine(3)
    const id = await node.send()
    const { inclusion } = await mined(id)
    await mineAndFollow(1)
    const { raw } = (await node.drover().get(`/v1/transactions/${id}/attempts`)).body.items[0]
    await node.chain.rpc('anvil_reorg', [2, [[raw, 1]]])
    const moved = await node.until(id, (tx) => tx.inclusion?.blockNumber === (inclusion?.blockNumber ?? 0) + 1)
    expect(moved.state).toBe('TRACKING')
    expect(moved.confirmations.newForks).toBeGreaterThan(0)
    await node.mineUntil([id], 'CONFIRMED')
    await expectUndisturbed(node)
  })

  test('a reverted transaction goes the same way to FAILED_FINAL', async () => {
    node = await startSingleNode({ preset: 'stable', env: { DROVER_FINALITY: '4' } })
    await node.chain.setCode(TARGET, revertingCode('no'))
    await node.chain.mine(1)
    const id = await node.send({ to: TARGET, data: '0x12345678', value: '0', simulate: false, gasLimit: '60000' })
    const { inclusion, receipt } = await mined(id)
    expect(receipt).toMatchObject({ status: 'reverted' })
    await node.chain.reorg(1)
    await expectWithdrawn(id, inclusion)
    await node.mineUntil([id], 'FAILED_FINAL')
    await expectUndisturbed(node, { reverted: [id] })
  })

  test('a transaction that succeeded but reverts on the new fork is FAILED_FINAL', async () => {
    node = await startSingleNode({ preset: 'stable', env: { DROVER_FINALITY: '4' } })
    const id = await node.send({ to: TARGET, data: '0x12345678', value: '0', simulate: false, gasLimit: '60000' })
    const { inclusion, receipt } = await mined(id)
    expect(receipt).toMatchObject({ status: 'success' })
    await node.chain.reorg(1)
    await node.chain.setCode(TARGET, revertingCode('no'))
    await expectWithdrawn(id, inclusion)
    await node.mineUntil([id], 'FAILED_FINAL')
    await expectUndisturbed(node, { reverted: [id] })
  })

  test.each([
    ['40 confirmations', { finality: 40 }, {}],
    ['the tag finalized', {}, { DROVER_FINALITY: 'finalized' }],
  ])('below the header window is not final if the rule asks for %s', async (_, intent, env) => {
    node = await startSingleNode({
      preset: 'stable',
      env: { DROVER_FINALITY: '4', DROVER_HEADER_WINDOW: '16', ...env },
    })
    const id = await node.send(intent)
    const { inclusion } = await mined(id)
    for (let step = 0; step < 5; step++) await mineAndFollow(5)
    expect(await node.read(id)).toMatchObject({ state: 'TRACKING', inclusion })
    await node.chain.reorg(26)
    await expectWithdrawn(id, inclusion)
    await node.mineUntil([id], 'CONFIRMED')
    await expectUndisturbed(node)
  })
})

describe('fast', () => {
  afterEach(() => node.close())

  test('a sequence over several blocks is mined again in order', async () => {
    node = await startSingleNode({ preset: 'fast', env: { DROVER_FINALITY: '6' } })
    await node.chain.mine(2)
    const ids: string[] = []
    for (let block = 0; block < 4; block++) {
      ids.push(...(await node.sendTogether(3)))
      await Promise.all(ids.map((id) => node.until(id, ({ state }) => state === 'TRACKING')))
      await node.chain.mine(1)
      await Promise.all(ids.map((id) => node.until(id, ({ inclusion }) => inclusion !== null)))
    }
    await node.chain.reorg(3)
    for (const id of ids.slice(3)) await node.until(id, ({ confirmations }) => confirmations.newForks > 0)
    await node.mineUntil(ids, 'CONFIRMED')
    for (const id of ids.slice(0, 3)) expect(await eventsOf(id, 'inclusion.reorged')).toEqual([])
    await expectUndisturbed(node)
  })
})
