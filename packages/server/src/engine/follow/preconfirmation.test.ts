/** Preconfirmations as a whole: what a node shows in a block in the making is told early, and the chain alone decides. */
import { describe, expect, test } from 'vitest'
import { FAST, type Policy, STABLE } from '../../core/lane/policy.ts'
import type { Transaction } from '../../core/transaction/transaction.ts'
import { transition } from '../../core/transaction/transition.ts'
import { createTestCluster, type TestCluster, type TestClusterOptions } from '../../testing/engine/test-cluster.ts'

const POLICY: Policy = { ...FAST, bumpAfterMs: 10_000, resubmitIntervalMs: 600_000 }
const GWEI = 10n ** 9n

async function setUp(policy: Partial<Policy> = {}, settings: TestClusterOptions['chainSettings'] = {}) {
  const cluster = await createTestCluster({
    policy: { ...POLICY, ...policy },
    chainSettings: { preconfirmations: true, ...settings },
  })
  const node = await cluster.startNode()
  return { cluster, node }
}

async function submit(cluster: TestCluster, count = 1, over = {}): Promise<readonly string[]> {
  const ids: string[] = []
  for (let index = 0; index < count; index++) ids.push(await cluster.submit(over))
  await cluster.clock.advance(100)
  return ids
}

/** Shown by the node, and time for the engine to see it. */
async function preconfirm(cluster: TestCluster): Promise<void> {
  cluster.chain.preconfirm()
  await cluster.clock.advance(1_000)
}

async function mineWithout(cluster: TestCluster, blocks: number): Promise<void> {
  for (let count = 0; count < blocks; count++) {
    cluster.chain.mine(() => false)
    await cluster.clock.advance(1_000)
  }
}

const findAll = (cluster: TestCluster, ids: readonly string[]): Promise<readonly Transaction[]> =>
  Promise.all(ids.map((id) => cluster.find(id)))

async function typesOf(cluster: TestCluster, id: string): Promise<readonly string[]> {
  return (await cluster.store.readHistory(id)).map(({ type }) => type)
}

describe('preconfirmed', () => {
  test('and then included: reported in order, confirmed once', async () => {
    const { cluster, node } = await setUp(STABLE)
    const [id = ''] = await submit(cluster)
    await preconfirm(cluster)
    expect(await cluster.find(id)).toMatchObject({ state: 'TRACKING', subState: 'preconfirmed', inclusion: null })
    await cluster.mine(4)
    expect(await cluster.find(id)).toMatchObject({ state: 'CONFIRMED', confirmations: { length: 3 } })
    expect(await typesOf(cluster, id)).toEqual([
      ...['accepted', 'nonce.allocated', 'broadcast.answered'],
      ...['preconfirmation.seen', 'inclusion.seen', 'finality.reached'],
    ])
    const hash = (await cluster.find(id)).attempts[0]?.hash
    const seen = (await cluster.store.readHistory(id)).find(({ type }) => type === 'preconfirmation.seen')
    expect(seen).toMatchObject({ subState: 'preconfirmed', detail: { hash, blockNumber: 4, succeeded: true } })
    expect(cluster.sent).toHaveLength(1)
    expect(await cluster.mined()).toHaveLength(1)
    expect(node.telemetry.valueOf('drover_preconfirmations_total', { result: 'seen' })).toBe(1)
  })

  test('and then gone: reported, resent early, mined once', async () => {
    const { cluster, node } = await setUp(STABLE)
    const [id = ''] = await submit(cluster)
    await preconfirm(cluster)
    cluster.chain.dropPool()
    await mineWithout(cluster, 2)
    expect(await cluster.find(id)).toMatchObject({ state: 'TRACKING', subState: 'pending' })
    expect(cluster.sent).toHaveLength(2)
    await cluster.mine(4)
    expect(await cluster.find(id)).toMatchObject({ state: 'CONFIRMED', attempts: { length: 1 } })
    expect((await typesOf(cluster, id)).slice(3)).toEqual([
      ...['preconfirmation.seen', 'preconfirmation.lost', 'resubmit.claimed', 'broadcast.answered'],
      ...['inclusion.seen', 'finality.reached'],
    ])
    expect(await cluster.mined()).toHaveLength(1)
    expect(node.telemetry.valueOf('drover_preconfirmations_total', { result: 'lost' })).toBe(1)
  })

  test('and gone while nobody watches for it any more: the next send takes it away', async () => {
    const { cluster, node } = await setUp({ ...STABLE, resubmitIntervalMs: 30_000 })
    const [id = ''] = await submit(cluster)
    await preconfirm(cluster)
    cluster.chain.dropPool()
    node.kill()
    await cluster.clock.advance(20_000)
    await cluster.startNode('node-b', { preconfirmations: false })
    await cluster.clock.advance(1_000)
    expect(await cluster.find(id)).toMatchObject({ subState: 'preconfirmed' })
    await cluster.clock.advance(30_000)
    expect(await cluster.find(id)).toMatchObject({ subState: 'pending' })
    await cluster.mine(4)
    expect(await cluster.find(id)).toMatchObject({ state: 'CONFIRMED' })
    expect(await cluster.mined()).toHaveLength(1)
  })

  test('is handed over with its lane: the next owner finds out what became of it', async () => {
    const { cluster, node } = await setUp(STABLE)
    const [id = ''] = await submit(cluster)
    await preconfirm(cluster)
    node.kill()
    cluster.chain.dropPool()
    await cluster.clock.advance(20_000)
    await cluster.startNode('node-b')
    await cluster.clock.advance(1_000)
    expect(await typesOf(cluster, id)).toContain('preconfirmation.lost')
    await cluster.mine(4)
    expect(await cluster.find(id)).toMatchObject({ state: 'CONFIRMED' })
  })

  test('a hundred at once', async () => {
    const { cluster } = await setUp({ maxInFlight: 100 })
    const ids = await submit(cluster, 100)
    await cluster.clock.advance(1_000)
    await preconfirm(cluster)
    expect((await findAll(cluster, ids)).every(({ subState }) => subState === 'preconfirmed')).toBe(true)
    await cluster.mine(4)
    expect((await findAll(cluster, ids)).every(({ state }) => state === 'CONFIRMED')).toBe(true)
    expect(await cluster.mined()).toHaveLength(100)
  })

  test('if the chain is not configured for it: no calls, no reports', async () => {
    const { cluster } = await setUp(STABLE, { preconfirmations: false })
    let asked = 0
    cluster.chain.setFault(({ name }) => {
      if (name === 'findReceipts') asked++
      return null
    })
    const [id = ''] = await submit(cluster)
    asked = 0
    await preconfirm(cluster)
    expect(await cluster.find(id)).toMatchObject({ subState: 'pending' })
    expect(asked).toBe(0)
  })
})

describe('while preconfirmed', () => {
  test('no price is raised, whatever the market does', async () => {
    const { cluster } = await setUp()
    const [id = ''] = await submit(cluster)
    await preconfirm(cluster)
    cluster.chain.setBaseFee(50n * GWEI)
    await cluster.clock.advance(60_000)
    expect(await cluster.find(id)).toMatchObject({ subState: 'preconfirmed', attempts: { length: 1 } })
    // Lost: from here on it is like any other.
    cluster.chain.dropPool()
    await mineWithout(cluster, 4)
    expect((await cluster.find(id)).attempts).toHaveLength(2)
  })

  test('a requested cancel waits: it is carried out only if no block holds the transaction', async () => {
    for (const isKept of [true, false]) {
      const { cluster } = await setUp()
      const [id = ''] = await submit(cluster)
      await preconfirm(cluster)
      const tx = await cluster.find(id)
      const by = { actor: 'ann', reason: 'drill' }
      const step = transition(tx, { type: 'operator.cancelled', at: cluster.clock.now(), by }, POLICY)
      const before = { version: tx.version, state: tx.state, attemptCount: tx.attempts.length }
      await cluster.store.amend({ before, tx: step.tx, notes: step.notes }, [])
      await cluster.clock.advance(5_000)
      expect((await cluster.find(id)).attempts).toHaveLength(1)
      if (!isKept) cluster.chain.dropPool()
      if (!isKept) await mineWithout(cluster, 3)
      await cluster.mine(5)
      expect((await cluster.find(id)).state).toBe(isKept ? 'CONFIRMED' : 'CANCELLED')
      expect(await cluster.mined()).toHaveLength(1)
    }
  })

  test('it has left the pool: the next may be sent, as far as policy goes', async () => {
    const { cluster } = await setUp({ maxInFlight: 5, maxUnfinal: 3 })
    const ids = await submit(cluster, 12)
    expect(cluster.sent).toHaveLength(5)
    await cluster.mine()
    await cluster.clock.advance(1_000)
    expect(cluster.sent).toHaveLength(5)
    for (let round = 0; round < 3; round++) await cluster.mine()
    await cluster.clock.advance(1_000)
    expect(cluster.sent).toHaveLength(10)
    await preconfirm(cluster)
    expect(cluster.sent).toHaveLength(10)
    for (let round = 0; round < 12; round++) {
      await cluster.mine()
      await cluster.clock.advance(1_000)
    }
    expect((await findAll(cluster, ids)).every(({ state }) => state === 'CONFIRMED')).toBe(true)
    expect(await cluster.mined()).toHaveLength(12)
  })

  test('it is not called stuck, and nothing spins', async () => {
    const { cluster } = await setUp({ ...STABLE, stuckAfterMs: 5_000, resubmitIntervalMs: 600_000 })
    const [id = ''] = await submit(cluster)
    await preconfirm(cluster)
    const fired = cluster.clock.fired()
    await cluster.clock.advance(60_000)
    expect(await cluster.find(id)).toMatchObject({ state: 'TRACKING', subState: 'preconfirmed' })
    expect(cluster.clock.fired() - fired).toBeLessThan(1_000)
  })
})

test('what is STUCK stays so until a block holds it', async () => {
  const { cluster } = await setUp({ ...STABLE, stuckAfterMs: 5_000 })
  const [id = ''] = await submit(cluster)
  await cluster.clock.advance(6_000)
  expect(await cluster.find(id)).toMatchObject({ state: 'STUCK' })
  await preconfirm(cluster)
  expect(await cluster.find(id)).toMatchObject({ state: 'STUCK', subState: 'no_inclusion' })
  await cluster.mine(4)
  expect(await cluster.find(id)).toMatchObject({ state: 'CONFIRMED' })
})
