/** The window on a whole engine: what it sends to nodes that keep much, little, one at a time, or nothing. */
import { describe, expect, test } from 'vitest'
import { FAST } from '../../core/lane/policy.ts'
import type { TxId } from '../../core/transaction/transaction.ts'
import type { FakeChainOptions } from '../../testing/chain/fake-chain.ts'
import { createTestCluster, type TestCluster } from '../../testing/engine/test-cluster.ts'

/** Nothing but what is tested here sends again. */
const POLICY = { ...FAST, resubmitIntervalMs: 3_600_000, bumpAfterMs: 3_600_000, stuckAfterMs: 36_000_000 }

async function setUp(count: number, chain: Partial<FakeChainOptions> = {}) {
  const cluster = await createTestCluster({ policy: POLICY, chain })
  const ids: TxId[] = []
  for (let index = 0; index < count; index++) ids.push(await cluster.submit())
  const node = await cluster.startNode()
  return { cluster, ids, node }
}

/** Blocks two seconds apart until all of them are mined; answers how many that took. */
async function mineAll(cluster: TestCluster, count: number, most: number): Promise<number> {
  for (let blocks = 1; blocks <= most; blocks++) {
    await cluster.clock.advance(2_000)
    await cluster.mine()
    if ((await cluster.mined()).length === count) return blocks
  }
  throw new Error(`${(await cluster.mined()).length} of ${count} mined after ${most} blocks`)
}

const windowOf = async ({ store, lane }: TestCluster) => (await store.listLaneStatus({ lane }))[0]?.health.window

describe('a node that keeps everything', () => {
  test('has a thousand within one block: the window grows by round trips', async () => {
    const { cluster } = await setUp(1_000)
    await cluster.clock.advance(1_900)
    expect(cluster.chain.pooled()).toHaveLength(1_000)
    expect(cluster.sent).toHaveLength(1_000)
    expect(await windowOf(cluster)).toMatchObject({ reason: 'all_kept', ceiling: null })
  })

  test('is asked nothing more for a transaction now and then', async () => {
    const { cluster } = await setUp(1)
    const asked: string[] = []
    cluster.chain.setFault(({ name }) => {
      asked.push(name)
      return null
    })
    await mineAll(cluster, 1, 2)
    expect(asked).not.toContain('lookAtPool')
  })
})

describe('a node that keeps 20 and says that it took the rest', () => {
  const HIDING = { maxPerAccount: 20, hidesRefusals: true }

  test('mines nearly 20 a block, each with its first bytes', async () => {
    const { cluster, ids } = await setUp(200, HIDING)
    expect(await mineAll(cluster, 200, 20)).toBeLessThanOrEqual(14)
    await cluster.mine(4)
    for (const id of ids) expect(await cluster.find(id)).toMatchObject({ state: 'CONFIRMED', attempts: { length: 1 } })
  })

  test('is not sent much more than it keeps', async () => {
    const { cluster } = await setUp(200, HIDING)
    await mineAll(cluster, 200, 20)
    expect(cluster.sent.length).toBeLessThan(300)
    expect(await windowOf(cluster)).toMatchObject({ ceiling: 20, delegated: false })
  })

  test('the next owner goes on with the window that the last one found', async () => {
    const { cluster, node } = await setUp(30, HIDING)
    await mineAll(cluster, 30, 6)
    expect(await windowOf(cluster)).toMatchObject({ size: 20, ceiling: 20 })
    node.kill()
    await cluster.clock.advance(20_000)
    for (let index = 0; index < 40; index++) await cluster.submit()
    const before = cluster.sent.length
    await cluster.startNode('node-b')
    await cluster.clock.advance(100)
    const [first, ...rest] = cluster.sent.slice(before)
    expect(rest.filter(({ batch }) => batch === first?.batch)).toHaveLength(19)
  })
})

describe('a node that says that its pool is full', () => {
  test('mines as much as it keeps; nothing gets stuck', async () => {
    const { cluster, ids } = await setUp(60, { maxPerAccount: 10 })
    expect(await mineAll(cluster, 60, 20)).toBeLessThanOrEqual(12)
    await cluster.mine(4)
    for (const id of ids) expect(await cluster.find(id)).toMatchObject({ state: 'CONFIRMED' })
  })
})

describe('a node that takes only the next nonce', () => {
  test('gets one at a time, one a block', async () => {
    const { cluster } = await setUp(8, { takesOnlyNext: true })
    expect(await mineAll(cluster, 8, 20)).toBeLessThanOrEqual(10)
    expect(await windowOf(cluster)).toMatchObject({ ceiling: 1 })
    expect(cluster.sent.length).toBeLessThan(8 + 15 + 4)
  })
})

describe('a pool that was lost', () => {
  test('has everything back after the next block, lowest first', async () => {
    const { cluster } = await setUp(40)
    await cluster.clock.advance(2_000)
    await cluster.clock.advance(20)
    cluster.chain.mine(() => false)
    await cluster.clock.advance(100)
    cluster.chain.dropPool()
    expect(await mineAll(cluster, 40, 6)).toBeLessThanOrEqual(4)
  })

  test('one that is lost again and again is filled ever less often', async () => {
    const { cluster } = await setUp(1)
    for (let block = 0; block < 40; block++) {
      await cluster.clock.advance(2_000)
      cluster.chain.dropPool()
      await cluster.mine()
    }
    expect(cluster.sent.length).toBeGreaterThan(3)
    expect(cluster.sent.length).toBeLessThan(12)
  })
})

test('a full or too expensive block is no reason to resend', async () => {
  const { cluster } = await setUp(1, { blockGasLimit: 20_000_000n })
  cluster.chain.setBaseFee(10n ** 12n)
  for (let block = 0; block < 6; block++) {
    await cluster.clock.advance(2_000)
    await cluster.mine()
  }
  expect(cluster.sent).toHaveLength(1)
})
