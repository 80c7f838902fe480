/** What the chain counts is kept with each lane at a cost per block, and a cursor that does not fit it is told of. */
import { describe, expect, test } from 'vitest'
import type { Chain } from '../../ports/chain.ts'
import type { ChainCounts } from '../../ports/lane-write.ts'
import { createTestCluster, QUICK, type TestCluster } from '../../testing/engine/test-cluster.ts'

async function countsOf({ store, lane }: TestCluster): Promise<ChainCounts | null> {
  const [status] = await store.listLaneStatus({ lane })
  return status?.health.counts ?? null
}

async function driftEvents({ store }: TestCluster) {
  const events = await store.readEvents(0, 1_000)
  return events
    .filter(({ type }) => type.startsWith('drift.'))
    .map(({ type, cause, detail }) => [type, cause, detail.by])
}

function countCalls({ chain }: TestCluster): { calls: number } {
  const state = { calls: 0 }
  const writable = chain as { getCounts: Chain['getCounts'] }
  const real = writable.getCounts
  writable.getCounts = async (address) => {
    state.calls++
    return await real(address)
  }
  return state
}

/** Blocks, far enough apart for each to be looked at. */
async function passBlocks({ chain, clock }: TestCluster, count: number): Promise<void> {
  for (let block = 0; block < count; block++) {
    chain.mine()
    await clock.advance(2_500)
  }
}

describe('chain counts', () => {
  test('are there from the first block on, before anything was sent, and follow what is sent', async () => {
    const cluster = await createTestCluster({ policy: QUICK })
    await cluster.startNode()
    await cluster.mine()
    expect(await countsOf(cluster)).toMatchObject({ latest: 0, pending: 0, drift: 0 })
    await cluster.submit()
    await cluster.submit()
    await cluster.clock.advance(100)
    cluster.chain.mine(() => false)
    await cluster.clock.advance(2_500)
    expect(await countsOf(cluster)).toMatchObject({ latest: 0, pending: 2, drift: 0 })
    await passBlocks(cluster, 1)
    expect(await countsOf(cluster)).toMatchObject({ latest: 2, pending: 2, drift: 0 })
  })

  test('cost at most one call a block while anything is on its way, and next to nothing otherwise', async () => {
    const cluster = await createTestCluster({ policy: QUICK })
    const counted = countCalls(cluster)
    await cluster.startNode()
    await cluster.mine(20)
    expect(counted.calls).toBe(1)
    for (let index = 0; index < 30; index++) await cluster.submit()
    await cluster.clock.advance(2_500)
    counted.calls = 0
    for (let block = 0; block < 5; block++) {
      cluster.chain.mine(() => false)
      await cluster.clock.advance(2_500)
    }
    expect(counted.calls).toBeLessThanOrEqual(5)
    expect(counted.calls).toBeGreaterThan(2)
  })

  test('the block that ended all waiting is looked at too, though no further one comes', async () => {
    const cluster = await createTestCluster({
      policy: QUICK,
      chainSettings: { finality: { type: 'confirmations', count: 0 } },
    })
    await cluster.startNode()
    await cluster.mine()
    const id = await cluster.submit()
    await cluster.clock.advance(100)
    await cluster.mine()
    expect((await cluster.find(id)).state).toBe('CONFIRMED')
    await cluster.clock.advance(3_000)
    expect(await countsOf(cluster)).toMatchObject({ latest: 1, drift: 0 })
  })

  test('a key that something else uses is named: the chain is past the cursor', async () => {
    const cluster = await createTestCluster({ policy: QUICK })
    const node = await cluster.startNode()
    const id = await cluster.submit()
    await cluster.clock.advance(100)
    await passBlocks(cluster, 1)
    await cluster.sendForeign(1)
    await cluster.sendForeign(2)
    await passBlocks(cluster, 2)
    expect((await cluster.find(id)).state).toBe('TRACKING')
    expect(await countsOf(cluster)).toMatchObject({ latest: 3, drift: -2 })
    expect(await driftEvents(cluster)).toEqual([['drift.found', 'behind', 2]])
    expect(
      node.telemetry.valueOf('drover_nonce_drift', { chainId: cluster.lane.chainId, signer: cluster.lane.signer }),
    ).toBe(-2)
    const line = node.telemetry.logs.find(({ message }) => message.includes('something else uses its key'))
    expect(line?.fields).toMatchObject({ nodeId: expect.any(String), fence: 1, signer: cluster.lane.signer, by: 2 })
  })

  test('of a quiet signer too: the second look comes with the next block, not minutes later', async () => {
    const cluster = await createTestCluster({ policy: QUICK })
    const counted = countCalls(cluster)
    await cluster.startNode()
    await cluster.submit()
    await cluster.clock.advance(100)
    await passBlocks(cluster, 12)
    await cluster.clock.advance(5 * 60_000)
    await cluster.sendForeign(1)
    counted.calls = 0
    await passBlocks(cluster, 3)
    expect(await driftEvents(cluster)).toEqual([['drift.found', 'behind', 1]])
    await passBlocks(cluster, 10)
    expect(counted.calls).toBe(2)
  })

  test('a signer that is meant to be used elsewhere too is not called adrift', async () => {
    const cluster = await createTestCluster({ policy: { ...QUICK, externalUse: true } })
    await cluster.startNode()
    await cluster.submit()
    await cluster.clock.advance(100)
    await passBlocks(cluster, 1)
    await cluster.sendForeign(1)
    await passBlocks(cluster, 2)
    expect(await countsOf(cluster)).toMatchObject({ latest: 2, drift: 0 })
    expect(await driftEvents(cluster)).toEqual([])
  })

  describe('a nonce in flight that something else used', () => {
    async function setUp() {
      const cluster = await createTestCluster({ policy: QUICK })
      const counted = countCalls(cluster)
      const node = await cluster.startNode()
      await cluster.mine()
      const id = await cluster.submit()
      await cluster.clock.advance(100)
      await cluster.sendForeign(0)
      const problems = async () => {
        const [status] = await cluster.store.listLaneStatus({ lane: cluster.lane })
        return status?.health.problems.map(({ code, txId, nonce, count }) => [code, txId, nonce, count]) ?? []
      }
      return { cluster, counted, node, id, problems }
    }

    test('is named by the second look, without another block and long before it is final', async () => {
      const { cluster, node, id, problems } = await setUp()
      cluster.chain.mine()
      await cluster.clock.advance(1_000)
      expect(await problems()).toEqual([])
      await cluster.clock.advance(4_000)
      expect(await problems()).toEqual([['foreign_nonce', id, 0, null]])
      const { state, subState } = await cluster.find(id)
      expect([state, subState]).toEqual(['TRACKING', 'pending'])
      const lines = (words: string) => node.telemetry.logs.filter(({ message }) => message.includes(words))
      expect(lines('counts nonce 0 as used')).toHaveLength(1)
      expect(lines('Nonce 0 was used by a transaction')).toEqual([])
      // Once it is final, another step is the right one: the log says so too.
      await passBlocks(cluster, 20)
      expect(await problems()).toEqual([['foreign_nonce', id, 0, 1]])
      expect(lines('Nonce 0 was used by a transaction')).toHaveLength(1)
      expect(lines('a problem of a signer is solved')).toEqual([])
    })

    test('is no longer named once a reorg has dropped the other one', async () => {
      const { cluster, problems } = await setUp()
      await passBlocks(cluster, 2)
      expect(await problems()).toHaveLength(1)
      cluster.chain.reorg(2, { length: 3 })
      await passBlocks(cluster, 2)
      expect(await problems()).toEqual([])
    })

    test('what is mined is never named, and costs no look of its own', async () => {
      const cluster = await createTestCluster({ policy: QUICK })
      const counted = countCalls(cluster)
      const node = await cluster.startNode()
      await cluster.mine()
      counted.calls = 0
      for (let block = 0; block < 5; block++) {
        for (let index = 0; index < 3; index++) await cluster.submit()
        await cluster.clock.advance(100)
        await passBlocks(cluster, 1)
      }
      expect(counted.calls).toBeLessThanOrEqual(6)
      expect(node.telemetry.logs.filter(({ message }) => message.includes('as used'))).toEqual([])
    })
  })

  test('a node that lags once causes no drift alarm', async () => {
    const cluster = await createTestCluster({
      policy: QUICK,
      chainSettings: { finality: { type: 'confirmations', count: 1 } },
    })
    await cluster.startNode()
    await cluster.submit()
    await cluster.clock.advance(100)
    await passBlocks(cluster, 3)
    await cluster.submit()
    await cluster.clock.advance(100)
    const writable = cluster.chain as { getCounts: Chain['getCounts'] }
    const real = writable.getCounts
    writable.getCounts = async () => ({ latest: 0, pending: 0 })
    cluster.chain.mine(() => false)
    await cluster.clock.advance(2_500)
    writable.getCounts = real
    await passBlocks(cluster, 3)
    expect(await countsOf(cluster)).toMatchObject({ latest: 2, drift: 0 })
    expect(await driftEvents(cluster)).toEqual([])
  })
})
