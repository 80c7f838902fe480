import { describe, expect, test } from 'vitest'
import { createTestCluster, ENGINE_SETTINGS, QUICK, type TestCluster } from '../../testing/engine/test-cluster.ts'

const { leaseTtlMs, renewIntervalMs } = ENGINE_SETTINGS.keeper

async function submitMany(cluster: TestCluster, count: number) {
  const ids: string[] = []
  for (let index = 0; index < count; index++) ids.push(await cluster.submit())
  return ids
}

async function statesOf(cluster: TestCluster, ids: readonly string[]) {
  return [...new Set(await Promise.all(ids.map(async (id) => (await cluster.find(id)).state)))]
}

describe('a node that dies', () => {
  test('before it sent anything: what it had stored is sent by the next owner at once, not an interval later', async () => {
    const cluster = await createTestCluster()
    const a = await cluster.startNode('node-a')
    const [id = ''] = await submitMany(cluster, 1)
    await cluster.clock.advance(ENGINE_SETTINGS.writer.lingerMs)
    expect(await cluster.find(id)).toMatchObject({ state: 'ALLOCATED', submitCount: 0 })
    a.kill()
    await cluster.startNode('node-b')
    await cluster.clock.advance(leaseTtlMs + renewIntervalMs)
    expect(cluster.sent).toMatchObject([{ nodeId: 'node-b', hash: (await cluster.find(id)).attempts[0]?.hash }])
    // Nobody knows whether the dead node had sent them, so its send counts as well.
    expect(await cluster.find(id)).toMatchObject({ state: 'TRACKING', submitCount: 2 })
  })

  test('between storing and sending: the next owner sends the very same bytes [G4]', async () => {
    const cluster = await createTestCluster()
    const a = await cluster.startNode('node-a')
    cluster.chain.setFault(({ name }) => (name === 'broadcast' ? 'unavailable' : null))
    const ids = await submitMany(cluster, 3)
    await cluster.clock.advance(100)
    a.kill()
    cluster.chain.setFault(null)
    const before = await Promise.all(ids.map(async (id) => (await cluster.find(id)).attempts))
    expect(before.map(({ length }) => length)).toEqual([1, 1, 1])
    await cluster.startNode('node-b')
    await cluster.clock.advance(leaseTtlMs + 2 * renewIntervalMs)
    await cluster.mine(4)
    expect(await statesOf(cluster, ids)).toEqual(['CONFIRMED'])
    expect(await Promise.all(ids.map(async (id) => (await cluster.find(id)).attempts))).toEqual(before)
  })

  test('after sending and before it heard the answer: nothing is sent twice as another transaction [G4]', async () => {
    const cluster = await createTestCluster()
    const a = await cluster.startNode('node-a')
    const ids = await submitMany(cluster, 3)
    a.store.setFault(() => null)
    await cluster.clock.advance(12)
    a.kill()
    await cluster.startNode('node-b')
    await cluster.clock.advance(leaseTtlMs + 2 * renewIntervalMs)
    await cluster.mine(4)
    expect(await statesOf(cluster, ids)).toEqual(['CONFIRMED'])
    expect(await cluster.mined()).toHaveLength(3)
  })

  test('while its transactions wait for finality: the next owner goes on from the store and the chain', async () => {
    const cluster = await createTestCluster()
    const a = await cluster.startNode('node-a')
    const ids = await submitMany(cluster, 3)
    await cluster.clock.advance(100)
    await cluster.mine(2)
    a.kill()
    await cluster.startNode('node-b')
    cluster.chain.reorg(2, { length: 3, keep: 'dropped' })
    await cluster.clock.advance(leaseTtlMs + 2 * renewIntervalMs)
    await cluster.mine(5)
    expect(await statesOf(cluster, ids)).toEqual(['CONFIRMED'])
    expect((await cluster.mined()).map(({ nonce }) => nonce)).toEqual([0, 1, 2])
  })
})

test('what is stuck is told by the next owner too, once: the one before may have died before it told anybody', async () => {
  const cluster = await createTestCluster({ policy: { ...QUICK, stuckAfterMs: 1_000 } })
  const a = await cluster.startNode('node-a')
  const [id = ''] = await submitMany(cluster, 1)
  await cluster.clock.advance(2_000)
  expect(await cluster.find(id)).toMatchObject({ state: 'STUCK' })
  a.kill()
  const b = await cluster.startNode('node-b')
  await cluster.clock.advance(leaseTtlMs + 10 * renewIntervalMs)
  expect(b.telemetry.valueOf('drover_alarms_total', { cause: 'no_inclusion' })).toBe(1)
})

describe('a node that is cut off from the store and comes back', () => {
  test('sends nothing after its deadline, changes nothing, and does not disturb its successor [G5]', async () => {
    const cluster = await createTestCluster()
    const a = await cluster.startNode('node-a')
    const ids = await submitMany(cluster, 2)
    await cluster.clock.advance(100)
    a.store.setFault(() => 'unavailable')
    await cluster.startNode('node-b')
    await cluster.clock.advance(leaseTtlMs + 2 * renewIntervalMs)
    const sentByA = () => cluster.sent.filter(({ nodeId }) => nodeId === 'node-a').length
    const before = sentByA()
    const storedByA = async () => (await cluster.store.readEvents(0, 1_000)).filter(({ nodeId }) => nodeId === 'node-a')
    const stored = await storedByA()
    a.store.setFault((call) => (call === 'acquireLeases' || call === 'requestLeases' ? 'unavailable' : null))
    await cluster.clock.advance(40_000)
    expect(sentByA()).toBe(before)
    expect(await storedByA()).toEqual(stored)
    expect(a.engine.lanesHeld()).toBe(0)
    await cluster.mine(4)
    expect(await statesOf(cluster, ids)).toEqual(['CONFIRMED'])
  })

  test('a process frozen past its lease fails its fence when it continues', async () => {
    const cluster = await createTestCluster()
    const a = await cluster.startNode('node-a')
    const [id = ''] = await submitMany(cluster, 1)
    await cluster.clock.advance(100)
    const [lease] = await cluster.store.listLeases()
    cluster.clock.freeze(leaseTtlMs + 1_000)
    const [taken] = await cluster.store.acquireLeases('node-b', [cluster.lane], 3_600_000)
    expect(taken?.fence).toBe((lease?.fence ?? 0) + 1)
    const { version } = await cluster.find(id)
    cluster.chain.dropPool()
    await cluster.clock.advance(60_000)
    expect(await cluster.find(id)).toMatchObject({ version })
    expect(cluster.sent).toHaveLength(1)
    expect(a.engine.lanesHeld()).toBe(0)
  })
})

describe('a clean stop', () => {
  test('hands everything over at once; nothing of it is looked at any more', async () => {
    const cluster = await createTestCluster({ signers: 4 })
    const a = await cluster.startNode('node-a')
    const b = await cluster.startNode('node-b')
    const ids: string[] = []
    for (const lane of cluster.lanes) ids.push(await cluster.submit({}, lane), await cluster.submit({}, lane))
    await cluster.clock.advance(20_000)
    expect(a.engine.lanesHeld() + b.engine.lanesHeld()).toBe(4)
    const stopping = a.engine.stop()
    await cluster.clock.advance(200)
    await stopping
    expect(b.engine.lanesHeld()).toBe(4)
    const calls = () => [...a.store.calls.values()].reduce((sum, count) => sum + count, 0)
    const before = calls()
    await cluster.mine(4)
    await cluster.clock.advance(120_000)
    expect(calls()).toBe(before)
    expect(await statesOf(cluster, ids)).toEqual(['CONFIRMED'])
  })

  test('with the store away ends within its time-out and rejects nothing', async () => {
    const cluster = await createTestCluster()
    const a = await cluster.startNode('node-a')
    const ids = await submitMany(cluster, 2)
    await cluster.clock.advance(100)
    a.store.setFault(() => 'unavailable')
    cluster.chain.mine()
    await cluster.clock.advance(1_000)
    let isStopped = false
    const stopping = a.engine.stop().then(() => {
      isStopped = true
    })
    await cluster.clock.advance(ENGINE_SETTINGS.shutdownTimeoutMs + 3_000)
    expect(isStopped).toBe(true)
    await stopping
    await cluster.startNode('node-b')
    await cluster.clock.advance(leaseTtlMs + 2 * renewIntervalMs)
    await cluster.mine(4)
    expect(await statesOf(cluster, ids)).toEqual(['CONFIRMED'])
  })
})

describe('rebalancing', () => {
  test('moves lanes to a new node while transactions flow; every one is final, none is doubled', async () => {
    const cluster = await createTestCluster({ signers: 6 })
    await cluster.startNode('node-a')
    const ids: string[] = []
    for (let round = 0; round < 12; round++) {
      if (round === 3) await cluster.startNode('node-b')
      if (round === 6) await cluster.startNode('node-c')
      for (const lane of cluster.lanes) ids.push(await cluster.submit({}, lane))
      await cluster.clock.advance(3_000)
      cluster.chain.mine()
    }
    await cluster.clock.advance(1_000)
    await cluster.mine(5)
    expect(await statesOf(cluster, ids)).toEqual(['CONFIRMED'])
    expect(await cluster.mined()).toHaveLength(ids.length)
    const owners = new Set((await cluster.store.listLeases()).map(({ nodeId }) => nodeId))
    expect(owners.size).toBeGreaterThan(1)
  })

  test('a lane that was handed over is watched by its new owner only', async () => {
    const cluster = await createTestCluster({ signers: 6 })
    const a = await cluster.startNode('node-a')
    for (const lane of cluster.lanes) await cluster.submit({}, lane)
    await cluster.clock.advance(100)
    await cluster.startNode('node-b')
    await cluster.clock.advance(20_000)
    const stopping = a.engine.stop()
    await cluster.clock.advance(1_000)
    await stopping
    let asked = 0
    cluster.chain.setFault(({ name, hash }) => {
      if (name === 'findReceipts' && hash !== null) asked++
      return null
    })
    await cluster.clock.advance(65_000)
    expect(asked).toBeGreaterThan(0)
    expect(asked).toBeLessThanOrEqual(2 * cluster.lanes.length)
  })
})

describe('a long outage', () => {
  test.each(['store', 'chain'] as const)(
    'of the %s costs a bounded number of tries and heals by itself',
    async (part) => {
      const cluster = await createTestCluster({ signers: 3 })
      const a = await cluster.startNode('node-a')
      const ids: string[] = []
      for (const lane of cluster.lanes) ids.push(await cluster.submit({}, lane), await cluster.submit({}, lane))
      await cluster.clock.advance(50)
      if (part === 'store') a.store.setFault(() => 'unavailable')
      else cluster.chain.setFault(() => 'unavailable')
      for (const lane of cluster.lanes) ids.push(await cluster.submit({}, lane))
      const fired = cluster.clock.fired()
      for (let minute = 0; minute < 60; minute++) {
        if (part === 'store') cluster.chain.mine(() => false)
        await cluster.clock.advance(60_000)
      }
      expect(cluster.clock.fired() - fired).toBeLessThan(40_000)
      expect(cluster.clock.waiting()).toBeLessThan(60)
      a.store.setFault(null)
      cluster.chain.setFault(null)
      await cluster.clock.advance(90_000)
      await cluster.mine(5)
      await cluster.clock.advance(61_000)
      await cluster.mine(5)
      expect(await statesOf(cluster, ids)).toEqual(['CONFIRMED'])
      expect(await cluster.mined()).toHaveLength(ids.length)
    },
  )

  test('an idle engine costs a fixed handful of calls per beat', async () => {
    const cluster = await createTestCluster({ signers: 3 })
    const a = await cluster.startNode('node-a')
    await cluster.clock.advance(20_000)
    const calls = () => [...a.store.calls.values()].reduce((sum, count) => sum + count, 0)
    const [before, fired] = [calls(), cluster.clock.fired()]
    await cluster.clock.advance(100_000)
    // Seven, and while the chain makes no blocks one more: whether another node's transaction waits for one.
    expect(calls() - before).toBeLessThanOrEqual(20 * 8)
    // The health of the chain is checked every two seconds.
    expect(cluster.clock.fired() - fired).toBeLessThanOrEqual(20 + 20 + 100 + 8 + 2 + 50)
  })
})
