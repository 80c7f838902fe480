import { describe, expect, test } from 'vitest'
import { STABLE } from '../core/lane/policy.ts'
import { createTestCluster, QUICK, type TestCluster } from '../testing/engine/test-cluster.ts'
import { anyNote } from '../testing/store/samples.ts'

async function submitMany(cluster: TestCluster, count: number) {
  const ids: string[] = []
  for (let index = 0; index < count; index++) ids.push(await cluster.submit())
  await cluster.clock.advance(100)
  return ids
}

async function statesOf(cluster: TestCluster, ids: readonly string[]) {
  return await Promise.all(ids.map(async (id) => (await cluster.find(id)).state))
}

async function typesOf(cluster: TestCluster, id: string) {
  return (await cluster.store.readHistory(id)).map(({ type }) => type)
}

describe('the life of a transaction', () => {
  test('goes from acceptance to final, each step in the history', async () => {
    const cluster = await createTestCluster({ policy: STABLE })
    await cluster.startNode()
    const id = await cluster.submit()
    await cluster.clock.advance(100)
    expect(await cluster.find(id)).toMatchObject({ state: 'TRACKING', subState: 'pending', nonce: 0 })
    await cluster.mine()
    expect(await cluster.find(id)).toMatchObject({ state: 'TRACKING', subState: 'mined' })
    await cluster.mine(2)
    expect(await cluster.find(id)).toMatchObject({ state: 'TRACKING' })
    await cluster.mine()
    expect(await cluster.find(id)).toMatchObject({ state: 'CONFIRMED', confirmations: [{}, {}, {}] })
    const types = await typesOf(cluster, id)
    expect(types.slice(1)).toEqual(['nonce.allocated', 'broadcast.answered', 'inclusion.seen', 'finality.reached'])
  })

  test('one at a time: the next takes its nonce only when the one before is final', async () => {
    const cluster = await createTestCluster({ policy: STABLE })
    await cluster.startNode()
    const ids = await submitMany(cluster, 3)
    expect(await statesOf(cluster, ids)).toEqual(['TRACKING', 'QUEUED', 'QUEUED'])
    await cluster.mine(3)
    expect(await statesOf(cluster, ids)).toEqual(['TRACKING', 'QUEUED', 'QUEUED'])
    await cluster.mine()
    expect(await statesOf(cluster, ids)).toEqual(['CONFIRMED', 'TRACKING', 'QUEUED'])
    await cluster.mine(10)
    expect(await statesOf(cluster, ids)).toEqual(['CONFIRMED', 'CONFIRMED', 'CONFIRMED'])
  })

  test('many at a time keep their order, without a gap, and are sent in one batch', async () => {
    const cluster = await createTestCluster({ policy: { ...QUICK, maxInFlight: 30 } })
    for (let index = 0; index < 30; index++) await cluster.submit()
    await cluster.startNode()
    await cluster.clock.advance(100)
    expect(new Set(cluster.sent.map(({ batch }) => batch)).size).toBe(1)
    await cluster.mine(4)
    const mined = await cluster.mined()
    expect(mined.map(({ nonce }) => nonce)).toEqual(Array.from({ length: 30 }, (_, nonce) => nonce))
    expect(mined.map(({ hash }) => hash)).toEqual(cluster.sent.map(({ hash }) => hash))
  })

  test('a reverted one is FAILED_FINAL and consumes its nonce', async () => {
    const cluster = await createTestCluster({
      chain: { behave: () => ({ type: 'reverted', reason: 'no', data: null, gas: 30_000n }) },
    })
    await cluster.startNode()
    const id = await cluster.submit({ simulate: false, gasLimit: 60_000n })
    await cluster.clock.advance(100)
    await cluster.mine(4)
    expect(await cluster.find(id)).toMatchObject({ state: 'FAILED_FINAL', error: { code: 'reverted' } })
  })

  test('a lost notice costs a poll, not the transaction', async () => {
    const cluster = await createTestCluster()
    const listen = cluster.store.listen
    cluster.store.listen = () => () => {}
    await cluster.startNode()
    cluster.store.listen = listen
    const id = await cluster.submit()
    await cluster.clock.advance(5_100)
    expect(await cluster.find(id)).toMatchObject({ state: 'TRACKING' })
  })

  test('one that nobody could take before its deadline expires, suspended or not', async () => {
    const cluster = await createTestCluster({ policy: STABLE })
    await cluster.startNode()
    const [, second] = [await cluster.submit(), await cluster.submit({ validUntil: cluster.clock.now() + 8_000 })]
    await cluster.clock.advance(20_000)
    expect(await cluster.find(second ?? '')).toMatchObject({ state: 'EXPIRED', nonce: null })
  })
})

describe('a chain that was away', () => {
  test('continues waiting transactions as soon as it answers, whatever their pause', async () => {
    const cluster = await createTestCluster({ policy: STABLE })
    await cluster.startNode()
    await submitMany(cluster, 1)
    await cluster.mine(4)
    cluster.chain.setFault(({ name }) => (name === 'broadcast' ? null : 'unavailable'))
    const id = await cluster.submit()
    await cluster.clock.advance(610_000)
    const { retryAt } = (await cluster.find(id)) as { retryAt?: number }
    expect((retryAt ?? 0) - cluster.clock.now()).toBeGreaterThan(10_000)
    cluster.chain.setFault(null)
    cluster.chain.mine()
    await cluster.clock.advance(1_000)
    expect(await cluster.find(id)).toMatchObject({ state: 'TRACKING' })
  })
})

describe('finality', () => {
  test.each([
    { type: 'safe', depth: 5 },
    { type: 'finalized', depth: 8 },
  ] as const)('$type by the chain, at the height where the tag reaches it', async ({ type, depth }) => {
    const cluster = await createTestCluster({
      chain: { safeDepth: 5, finalizedDepth: 8 },
      chainSettings: { finality: { type } },
    })
    await cluster.startNode()
    const [id = ''] = await submitMany(cluster, 1)
    await cluster.mine(depth)
    expect(await cluster.find(id)).toMatchObject({ state: 'TRACKING', subState: 'mined' })
    await cluster.mine()
    expect(await cluster.find(id)).toMatchObject({ state: 'CONFIRMED' })
  })

  test.each(['safe', 'finalized'] as const)('%s asked for by one transaction alone is looked for', async (type) => {
    const cluster = await createTestCluster({ chain: { safeDepth: 5, finalizedDepth: 5 } })
    await cluster.startNode()
    const id = await cluster.submit({ finality: { type } })
    await cluster.clock.advance(100)
    await cluster.mine(5)
    expect(await cluster.find(id)).toMatchObject({ state: 'TRACKING', subState: 'mined' })
    await cluster.mine()
    expect(await cluster.find(id)).toMatchObject({ state: 'CONFIRMED' })
  })

  test('finalized asked for by the signer alone is looked for', async () => {
    const policy = { ...QUICK, finality: { type: 'finalized' } as const }
    const cluster = await createTestCluster({ policy, chain: { finalizedDepth: 5 } })
    await cluster.startNode()
    const [id = ''] = await submitMany(cluster, 1)
    await cluster.mine(6)
    expect(await cluster.find(id)).toMatchObject({ state: 'CONFIRMED' })
  })

  test('a transaction may ask for more or fewer confirmations than the chain', async () => {
    const cluster = await createTestCluster()
    await cluster.startNode()
    const none = await cluster.submit({ finality: { type: 'confirmations', count: 0 } })
    const more = await cluster.submit({ finality: { type: 'confirmations', count: 6 } })
    await cluster.clock.advance(100)
    await cluster.mine()
    expect(await statesOf(cluster, [none, more])).toEqual(['CONFIRMED', 'TRACKING'])
    await cluster.mine(5)
    expect(await statesOf(cluster, [more])).toEqual(['TRACKING'])
    await cluster.mine()
    expect(await cluster.find(more)).toMatchObject({ state: 'CONFIRMED', confirmations: { length: 6 } })
  })

  test('more confirmations than the header window holds are waited for all the same', async () => {
    const cluster = await createTestCluster()
    await cluster.startNode()
    const id = await cluster.submit({ finality: { type: 'confirmations', count: 40 } })
    await cluster.clock.advance(100)
    await cluster.mine(40)
    expect(await cluster.find(id)).toMatchObject({ state: 'TRACKING', subState: 'mined' })
    await cluster.mine()
    expect(await cluster.find(id)).toMatchObject({ state: 'CONFIRMED', confirmations: { length: 40 } })
  })

  test('a node that starts with a shallow window does not take deep for final', async () => {
    const cluster = await createTestCluster({
      chain: { finalizedDepth: 30 },
      chainSettings: { finality: { type: 'finalized' } },
    })
    const first = await cluster.startNode('node-a')
    const [id = ''] = await submitMany(cluster, 1)
    await cluster.mine(20)
    first.kill()
    await cluster.clock.advance(20_000)
    await cluster.startNode('node-b')
    await cluster.clock.advance(10_000)
    await cluster.mine(5)
    expect(await cluster.find(id)).toMatchObject({ state: 'TRACKING', subState: 'mined' })
    await cluster.mine(6)
    expect(await cluster.find(id)).toMatchObject({ state: 'CONFIRMED' })
  })

  test('what was mined and buried while nobody looked is found and final', async () => {
    const cluster = await createTestCluster()
    const first = await cluster.startNode('node-a')
    const [id = ''] = await submitMany(cluster, 1)
    first.kill()
    for (let count = 0; count < 60; count++) cluster.chain.mine()
    await cluster.clock.advance(20_000)
    await cluster.startNode('node-b')
    await cluster.clock.advance(5_000)
    const tx = await cluster.find(id)
    expect(tx).toMatchObject({ state: 'CONFIRMED', confirmations: { length: 3 } })
  })
})

test('the health of a chain is known for the chains that it follows, and for no other', async () => {
  const cluster = await createTestCluster()
  const { engine } = await cluster.startNode()
  await cluster.clock.advance(100)
  expect(engine.chainHealth(cluster.lane.chainId, null)).not.toBe(null)
  expect(engine.chainHealth(1, null)).toBe(null)
})

describe('reorgs', () => {
  test.each([1, 3])('of depth %i withdraw the inclusion, and the same bytes are sent again', async (depth) => {
    const cluster = await createTestCluster({ chainSettings: { finality: { type: 'confirmations', count: 5 } } })
    await cluster.startNode()
    const [id = ''] = await submitMany(cluster, 1)
    await cluster.mine(depth)
    const before = await cluster.find(id)
    cluster.chain.reorg(depth, { length: depth + 1, keep: 'dropped' })
    await cluster.clock.advance(50)
    expect(await cluster.find(id)).toMatchObject({ state: 'TRACKING', inclusion: null, newForks: 1 })
    expect(cluster.sent.map(({ hash }) => hash)).toEqual([before.attempts[0]?.hash, before.attempts[0]?.hash])
    await cluster.mine(6)
    expect(await cluster.find(id)).toMatchObject({ state: 'CONFIRMED', attempts: { length: 1 } })
    const withdrawn = (await cluster.store.readHistory(id)).find(({ type }) => type === 'inclusion.reorged')
    expect(withdrawn?.detail).toMatchObject({ newFork: true, confirmations: [] })
  })

  test('deeper than the header window are found out by hash', async () => {
    const cluster = await createTestCluster({ chainSettings: { finality: { type: 'confirmations', count: 60 } } })
    await cluster.startNode()
    const [id = ''] = await submitMany(cluster, 1)
    await cluster.mine(30)
    cluster.chain.reorg(31, { length: 32, keep: 'dropped' })
    await cluster.clock.advance(1_000)
    expect(await cluster.find(id)).toMatchObject({ state: 'TRACKING', inclusion: null })
    await cluster.mine()
    expect(await cluster.find(id)).toMatchObject({ state: 'TRACKING', subState: 'mined' })
    await cluster.mine(60)
    expect(await cluster.find(id)).toMatchObject({ state: 'CONFIRMED' })
    expect(await cluster.mined()).toHaveLength(1)
  })

  test.each([
    ['the newest block', 1],
    ['every block', 2],
  ])('that replace %s above an inclusion replace its list of confirmations as a whole', async (_, depth) => {
    const cluster = await createTestCluster({ chainSettings: { finality: { type: 'confirmations', count: 5 } } })
    await cluster.startNode()
    const [id = ''] = await submitMany(cluster, 1)
    await cluster.mine(3)
    cluster.chain.reorg(depth, { length: depth + 1 })
    await cluster.clock.advance(50)
    expect(await cluster.find(id)).toMatchObject({ subState: 'mined', newForks: 1 })
    const replaced = (await cluster.store.readHistory(id)).find(({ type }) => type === 'confirmations.replaced')
    const head = await cluster.chain.getBlock('latest')
    expect(replaced?.detail).toMatchObject({ newFork: true, confirmations: [{}, {}, { blockHash: head?.hash }] })
    expect(cluster.sent).toHaveLength(1)
  })

  test('that move a transaction to another block are followed without sending again', async () => {
    const cluster = await createTestCluster({ chainSettings: { finality: { type: 'confirmations', count: 5 } } })
    await cluster.startNode()
    const [id = ''] = await submitMany(cluster, 1)
    await cluster.mine(2)
    cluster.chain.reorg(2, { length: 3, keep: 'included' })
    await cluster.clock.advance(50)
    const tx = await cluster.find(id)
    const block = tx.state === 'TRACKING' ? tx.inclusion : null
    expect(block?.blockHash).toBe((await cluster.chain.getBlock(block?.blockNumber ?? -1))?.hash)
    expect(cluster.sent).toHaveLength(1)
    await cluster.mine(5)
    expect(await cluster.find(id)).toMatchObject({ state: 'CONFIRMED' })
  })

  test('of the whole pool: the lane comes back in order from its own bytes', async () => {
    const cluster = await createTestCluster({ chainSettings: { finality: { type: 'confirmations', count: 5 } } })
    await cluster.startNode()
    const ids = await submitMany(cluster, 10)
    await cluster.mine(2)
    cluster.chain.reorg(2, { length: 3, keep: 'dropped' })
    await cluster.clock.advance(100)
    await cluster.mine(6)
    expect(new Set(await statesOf(cluster, ids))).toEqual(new Set(['CONFIRMED']))
    expect((await cluster.mined()).map(({ nonce }) => nonce)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  })
})

describe('keeping alive', () => {
  test('a lost mempool is healed within one interval, in one batch, after the claim was stored', async () => {
    const cluster = await createTestCluster()
    await cluster.startNode()
    const ids = await submitMany(cluster, 20)
    cluster.chain.dropPool()
    const before = cluster.sent.length
    await cluster.clock.advance(30_000)
    expect(cluster.chain.pooled()).toHaveLength(20)
    expect(new Set(cluster.sent.slice(before).map(({ batch }) => batch)).size).toBe(1)
    expect(await typesOf(cluster, ids[0] ?? '')).toContain('resubmit.claimed')
    await cluster.mine(4)
    expect(new Set(await statesOf(cluster, ids))).toEqual(new Set(['CONFIRMED']))
  })

  test('bytes whose answers were all lost are not sent twice as another transaction', async () => {
    const cluster = await createTestCluster()
    await cluster.startNode()
    cluster.chain.setFault(({ name }) => (name === 'broadcast' ? 'answer_lost' : null))
    const ids = await submitMany(cluster, 5)
    expect(new Set(await statesOf(cluster, ids))).toEqual(new Set(['ALLOCATED']))
    await cluster.mine(4)
    expect(new Set(await statesOf(cluster, ids))).toEqual(new Set(['CONFIRMED']))
    expect(await cluster.mined()).toHaveLength(5)
  })

  test('a store that is down when a claim is due: nothing is sent that is not claimed', async () => {
    const cluster = await createTestCluster()
    const node = await cluster.startNode()
    await submitMany(cluster, 2)
    node.store.setFault((call) => (call === 'writeLanes' ? 'unavailable' : null))
    const before = cluster.sent.length
    await cluster.clock.advance(40_000)
    expect(cluster.sent).toHaveLength(before)
    node.store.setFault(null)
    await cluster.clock.advance(5_000)
    expect(cluster.sent).toHaveLength(before + 2)
  })

  test('a transaction not mined in time is stuck, those above it are blocked, a late block frees all', async () => {
    const cluster = await createTestCluster()
    await cluster.startNode()
    const ids = await submitMany(cluster, 3)
    await mineWithout(cluster, 16)
    expect(await statesOf(cluster, ids)).toEqual(['STUCK', 'TRACKING', 'TRACKING'])
    expect(await cluster.find(ids[1] ?? '')).toMatchObject({ subState: 'blocked_by_predecessor' })
    await cluster.mine(4)
    expect(new Set(await statesOf(cluster, ids))).toEqual(new Set(['CONFIRMED']))
  })

  test('what waits behind a suspended nonce is blocked by it, not stuck by itself', async () => {
    const cluster = await createTestCluster()
    const node = await cluster.startNode()
    const ids = await submitMany(cluster, 2)
    cluster.chain.dropPool()
    await suspend(cluster, ids[0] ?? '')
    await mineWithout(cluster, 16)
    expect(await cluster.find(ids[0] ?? '')).toMatchObject({ state: 'TRACKING', subState: 'suspended' })
    expect(await cluster.find(ids[1] ?? '')).toMatchObject({ state: 'TRACKING', subState: 'blocked_by_predecessor' })
    expect(node.telemetry.logs.filter(({ message }) => message.includes('stuck'))).toEqual([])
  })
})

/** So many minutes in which the chain makes blocks that hold nothing of ours. */
async function mineWithout(cluster: TestCluster, minutes: number): Promise<void> {
  for (let slot = 0; slot < minutes * 4; slot++) {
    cluster.chain.mine(() => false)
    await cluster.clock.advance(15_000)
  }
}

async function suspend(cluster: TestCluster, id: string): Promise<void> {
  const tx = await cluster.find(id)
  const { version, state, attempts } = tx
  const before = { version, state, attemptCount: attempts.length }
  const save = { before, tx: { ...tx, suspended: true, subState: 'suspended' as const }, notes: [] }
  expect(await cluster.store.amend(save, [])).toMatchObject({ type: 'written' })
  await cluster.clock.advance(50)
}

describe('operators', () => {
  test.each([true, false])('a suspended transaction is not sent, whether the notice arrived: %s', async (arrives) => {
    const cluster = await createTestCluster()
    const listen = cluster.store.listen
    if (!arrives) cluster.store.listen = () => () => {}
    await cluster.startNode()
    cluster.store.listen = listen
    const [id = ''] = await submitMany(cluster, 1)
    await cluster.clock.advance(5_100)
    await suspend(cluster, id)
    const before = cluster.sent.length
    await cluster.clock.advance(5 * 60_000)
    expect(cluster.sent).toHaveLength(before)
    expect(await cluster.find(id)).toMatchObject({ suspended: true, submitCount: 1 })
    await cluster.mine(4)
    expect(await cluster.find(id)).toMatchObject({ state: 'CONFIRMED' })
  })

  test('a paused signer takes no nonce, and continues when it is resumed', async () => {
    const cluster = await createTestCluster()
    await cluster.startNode()
    await cluster.store.updateSigner(cluster.lane, { paused: true }, anyNote())
    await cluster.clock.advance(100)
    const [id = ''] = await submitMany(cluster, 1)
    await cluster.clock.advance(30_000)
    expect(await cluster.find(id)).toMatchObject({ state: 'QUEUED' })
    await cluster.store.updateSigner(cluster.lane, { paused: false }, anyNote())
    await cluster.clock.advance(5_100)
    expect(await cluster.find(id)).toMatchObject({ state: 'TRACKING' })
  })
})

describe('a key that is also used elsewhere', () => {
  async function loseNonce(onForeignNonce: 'stuck' | 'requeue') {
    const cluster = await createTestCluster({ policy: { ...QUICK, onForeignNonce, externalUse: true } })
    await cluster.startNode()
    const [id = ''] = await submitMany(cluster, 1)
    cluster.chain.dropPool()
    await cluster.sendForeign(0)
    await cluster.mine()
    await cluster.clock.advance(31_000)
    await cluster.mine(8)
    await cluster.clock.advance(1_000)
    return { cluster, id }
  }

  test('stuck: the nonce is kept, the cause is named, and nobody signs anything else', async () => {
    const { cluster, id } = await loseNonce('stuck')
    expect(await cluster.find(id)).toMatchObject({ state: 'STUCK', subState: 'foreign_nonce', nonce: 0 })
    expect(await cluster.mined()).toHaveLength(1)
  })

  test('requeue: the intent takes another nonce and is executed once', async () => {
    const { cluster, id } = await loseNonce('requeue')
    await cluster.mine(5)
    expect(await cluster.find(id)).toMatchObject({ state: 'CONFIRMED', nonce: 1, attempts: { length: 2 } })
    expect((await cluster.mined()).map(({ nonce }) => nonce)).toEqual([0, 1])
  })
})
