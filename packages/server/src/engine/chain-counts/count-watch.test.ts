/** What the chain counts is kept with each lane at a cost per block, and a cursor that does not fit it is told of. */
import { describe, expect, test } from 'vitest'
import { FAST, type Policy } from '../../core/lane/policy.ts'
import type { AccountCount, Chain } from '../../ports/chain.ts'
import type { ChainCounts } from '../../ports/lane-write.ts'
import { createFakeChain } from '../../testing/chain/fake-chain.ts'
import { tracking } from '../../testing/core/sample-transactions.ts'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { createTestCluster, QUICK, type TestCluster, type TestNode } from '../../testing/engine/test-cluster.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import { createLaneDraft } from '../lane/lane-draft.ts'
import { createLedger } from '../lane/ledger.ts'
import { createCountWatch } from './count-watch.ts'

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

/** Before a node starts: it copies the chain. */
function countCalls({ chain }: TestCluster): { calls: number; answer: AccountCount | null } {
  const state: ReturnType<typeof countCalls> = { calls: 0, answer: null }
  const writable = chain as { getCounts: Chain['getCounts'] }
  const real = writable.getCounts
  writable.getCounts = async (address) => {
    state.calls++
    return state.answer ?? (await real(address))
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
    async function setUp(policy: Policy = QUICK) {
      const cluster = await createTestCluster({ policy })
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

    test('is still named while a node that is behind does not count it', async () => {
      const { cluster, counted, node, problems } = await setUp()
      await passBlocks(cluster, 2)
      expect(await problems()).toHaveLength(1)
      counted.answer = { latest: 0, pending: 0 }
      await passBlocks(cluster, 1)
      expect(await problems()).toHaveLength(1)
      expect(node.telemetry.logs.filter(({ message }) => message === 'a problem of a signer is solved')).toEqual([])
    })

    test('is named once the nodes can say which transaction used it, without another block', async () => {
      const { cluster, problems } = await setUp()
      cluster.chain.setFault(({ name }) => (name === 'findNonceUser' ? 'unavailable' : null))
      cluster.chain.mine()
      await cluster.clock.advance(10_000)
      expect(await problems()).toEqual([])
      cluster.chain.setFault(null)
      await cluster.clock.advance(10_000)
      expect(await problems()).toHaveLength(1)
    })

    test('is not named if others may use the key', async () => {
      const { cluster, node, id, problems } = await setUp(FAST)
      await passBlocks(cluster, 2)
      expect(await problems()).toEqual([])
      expect(node.telemetry.logs.filter(({ level }) => level === 'warn')).toEqual([])
      // Once that is final, it goes out again by itself.
      await passBlocks(cluster, 20)
      expect(await cluster.find(id)).toMatchObject({ state: 'CONFIRMED', nonce: 1 })
    })

    test('is not named if the nonce was used before ours took it: ours takes another by itself', async () => {
      const cluster = await createTestCluster({ policy: QUICK, chain: { genesisTime: 0 } })
      await cluster.sendForeign(0)
      await cluster.mine()
      const writable = cluster.chain as { getTransactionCount: Chain['getTransactionCount'] }
      const real = writable.getTransactionCount
      let isStale = true
      writable.getTransactionCount = async (address, tag) => (isStale ? 0 : await real(address, tag))
      const node = await cluster.startNode()
      const id = await cluster.submit()
      await cluster.clock.advance(100)
      isStale = false
      expect(await cluster.find(id)).toMatchObject({ nonce: 0 })
      await passBlocks(cluster, 3)
      expect(node.telemetry.logs.filter(({ message }) => message.includes('as used'))).toEqual([])
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

  describe('our own transaction is mined, and its lane does not know it yet', () => {
    async function setUp() {
      const cluster = await createTestCluster({ policy: QUICK })
      const node = await cluster.startNode()
      await cluster.mine()
      const id = await cluster.submit()
      await cluster.clock.advance(12_000)
      return { cluster, node, id }
    }

    const alarms = ({ telemetry }: TestNode) => telemetry.logs.filter(({ message }) => message.includes('as used'))

    test.each(['unavailable', 'receipt_missing'] as const)('no alarm if its receipt is missing (%s)', async (fault) => {
      const { cluster, node, id } = await setUp()
      cluster.chain.setFault(({ name }) => (name === 'getInclusions' || name === 'findReceipts' ? fault : null))
      cluster.chain.mine()
      await cluster.clock.advance(30_000)
      expect((await cluster.find(id)).subState).toBe('pending')
      expect(await countsOf(cluster)).toMatchObject({ latest: 1 })
      cluster.chain.setFault(null)
      await cluster.clock.advance(60_000)
      await passBlocks(cluster, 1)
      expect((await cluster.find(id)).subState).toBe('mined')
      expect(alarms(node)).toEqual([])
    })

    test('no alarm if the followed chain is a block behind the node that counts', async () => {
      const { cluster, node, id } = await setUp()
      const behind = ['getBlock', 'getBlocks', 'getTags', 'getHeight', 'findReceipts', 'getInclusions']
      cluster.chain.setFault(({ name }) => (behind.includes(name) ? 'stale' : null))
      cluster.chain.mine(() => false)
      await cluster.clock.advance(500)
      cluster.chain.mine()
      await cluster.clock.advance(10_000)
      expect(await countsOf(cluster)).toMatchObject({ latest: 1 })
      cluster.chain.setFault(null)
      await passBlocks(cluster, 1)
      expect((await cluster.find(id)).subState).toBe('mined')
      expect(alarms(node)).toEqual([])
    })

    test('no alarm after a takeover while receipts cannot be read', async () => {
      const { cluster, node, id } = await setUp()
      node.kill()
      for (let block = 0; block < 3; block++) cluster.chain.mine()
      cluster.chain.setFault(({ name }) => (name === 'findReceipts' ? 'unavailable' : null))
      const next = await cluster.startNode('node-b')
      await cluster.clock.advance(40_000)
      expect((await cluster.find(id)).subState).toBe('pending')
      expect(await countsOf(cluster)).toMatchObject({ latest: 1 })
      expect(alarms(next)).toEqual([])
    })
  })

  test('a look that is planned is made, though a suspicion ends meanwhile', async () => {
    const [clock, telemetry, signal] = [createManualClock(), createRecordingTelemetry(), () => {}]
    const chain = createFakeChain({ chainId: 1 })
    let calls = 0
    const getCounts: Chain['getCounts'] = async () => {
      calls++
      return { latest: 8, pending: 8 }
    }
    const sent = tracking('pending')
    const { lane } = sent.intent
    const watch = createCountWatch({ chain: { ...chain, getCounts }, clock, telemetry, lane, wake: signal })
    const ledger = createLedger({ cursor: 8, inFlight: [sent], recyclable: [] })
    const scene = { ledger, reserved: [], policy: QUICK }
    watch.look(1, true)
    await clock.advance(500)
    watch.checkDrift(createLaneDraft(ledger, QUICK), scene)
    // Within the interval there is a block, with our transaction.
    watch.look(2, true)
    watch.checkDrift(createLaneDraft(createLedger({ cursor: 8, inFlight: [], recyclable: [] }), QUICK), scene)
    await clock.advance(30_000)
    expect(calls).toBe(2)
  })

  test('a node that lags once causes no drift alarm', async () => {
    const cluster = await createTestCluster({
      policy: QUICK,
      chainSettings: { finality: { type: 'confirmations', count: 1 } },
    })
    const counted = countCalls(cluster)
    await cluster.startNode()
    await cluster.submit()
    await cluster.clock.advance(100)
    await passBlocks(cluster, 3)
    await cluster.submit()
    await cluster.clock.advance(100)
    counted.answer = { latest: 0, pending: 0 }
    cluster.chain.mine(() => false)
    await cluster.clock.advance(2_500)
    expect(await countsOf(cluster)).toMatchObject({ latest: 0 })
    counted.answer = null
    await passBlocks(cluster, 3)
    expect(await countsOf(cluster)).toMatchObject({ latest: 2, drift: 0 })
    expect(await driftEvents(cluster)).toEqual([])
  })
})
