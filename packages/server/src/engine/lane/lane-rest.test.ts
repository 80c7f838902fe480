/** What cannot be done now is not tried without end, and does not keep others from their turn. */
import { describe, expect, test } from 'vitest'
import { type Policy, STABLE } from '../../core/lane/policy.ts'
import { makeTransfersDear } from '../../testing/engine/dear-transfers.ts'
import { operate, POLICY, run } from '../../testing/engine/fast-bench.ts'
import { createTestCluster, type TestCluster, type TestClusterOptions } from '../../testing/engine/test-cluster.ts'
import { createReservations } from '../reservations/reserve.ts'

const GWEI = 10n ** 9n
const BAD = { gasLimit: 20_000n, simulate: false }

/** Counts calls of a chain method; past `most` it throws, so that a hot loop ends and can be seen. */
function meter(cluster: TestCluster, name: 'getFeeMarket' | 'estimate' | 'getBalance' | 'findTransaction', most = 500) {
  const chain = cluster.chain as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>
  const real = chain[name]
  const state = { calls: 0 }
  chain[name] = async (...args) => {
    state.calls++
    if (state.calls > most) throw new Error(`${name} was called more than ${most} times`)
    return await real?.(...args)
  }
  return state
}

async function setUp(policy: Partial<Policy> = {}, options: TestClusterOptions = {}) {
  return await createTestCluster({ ...options, policy: { ...POLICY, ...policy } })
}

describe('a lane', () => {
  test('with nothing in flight and nothing in its queue makes no cycle for a block', async () => {
    const cluster = await setUp()
    const { telemetry } = await cluster.startNode()
    const sent = await cluster.submit()
    await run(cluster, 20)
    expect((await cluster.find(sent)).state).toBe('CONFIRMED')
    const cycles = () => telemetry.valueOf('drover_lane_cycles_total')
    const before = cycles()
    expect(before).toBeGreaterThan(0)
    // Less than until the balance is read again.
    await run(cluster, 5)
    expect(cycles() - before).toBe(0)
    // It has not lost sight of the chain.
    const next = await cluster.submit()
    await run(cluster, 20)
    expect((await cluster.find(next)).state).toBe('CONFIRMED')
  })

  test('17 transactions at the cap: the lane does not spin', async () => {
    const cluster = await setUp({ maxFeePerGasWei: 3n * GWEI })
    await cluster.startNode()
    for (let index = 0; index < 17; index++) await cluster.submit()
    await cluster.clock.advance(100)
    cluster.chain.setBaseFee(30n * GWEI)
    await run(cluster, 6)
    const before = cluster.clock.fired()
    await cluster.clock.advance(1_000)
    expect(cluster.clock.fired() - before).toBeLessThan(50)
  })

  test('a cancel of the 20th is signed although the 19 below it are at the cap', async () => {
    const cluster = await setUp({})
    await cluster.startNode()
    const fees = { type: 'eip1559', maxFeePerGas: 3n * GWEI, maxPriorityFeePerGas: GWEI } as const
    const ids: string[] = []
    for (let index = 0; index < 20; index++) ids.push(await cluster.submit({ fees }))
    await cluster.clock.advance(100)
    cluster.chain.setBaseFee(30n * GWEI)
    await run(cluster, 6)
    await operate(cluster, ids[19] ?? '', 'operator.cancelled')
    await run(cluster, 3)
    expect((await cluster.find(ids[19] ?? '')).attempts.map(({ kind }) => kind)).toEqual(['original', 'cancel'])
  })

  test('a fill that every node refuses is not made again and again', async () => {
    const cluster = await setUp()
    makeTransfersDear(cluster, 21_001n)
    await cluster.startNode()
    await cluster.submit(BAD)
    await cluster.submit()
    await run(cluster, 10)
    const { items } = await cluster.store.listTransactions({}, { after: null, limit: 10_000 })
    const fills = items.filter(({ intent }) => intent.metadata.purpose === 'gap_fill')
    expect(fills.length).toBeLessThan(20)
  })

  test('out of funds with a gap: the chain is asked a few times per block, not without end', async () => {
    const cluster = await setUp()
    const balance = meter(cluster, 'getBalance')
    await cluster.startNode()
    await cluster.submit(BAD)
    await cluster.submit()
    // Both have their nonce; before the refusal of the first is known the money is gone.
    for (let ms = 0; ms < 20; ms++) {
      await cluster.clock.advance(1)
      if ((await cluster.store.loadLane(cluster.lane)).cursor === 2) break
    }
    cluster.chain.setBalance(cluster.lane.signer, 1_000n)
    cluster.chain.mine(() => false)
    await cluster.clock.advance(200)
    expect((await cluster.store.loadLane(cluster.lane)).recyclable).toEqual([0])
    balance.calls = 0
    await run(cluster, 3)
    expect(balance.calls).toBeLessThan(60)
  })

  test('a lapsed nonce that its late holder has in the pool, a full lane and a queue: no endless preparing', async () => {
    const cluster = await createTestCluster({ policy: { ...STABLE, maxInFlight: 2 } })
    const { store, clock, lane, chain } = cluster
    const market = meter(cluster, 'getFeeMarket')
    await cluster.startNode()
    let ids = 0
    const random = { id: () => `01890a5d-0000-7000-8000-${(++ids).toString().padStart(12, '0')}` }
    const reservations = createReservations({ store, clock, random, chains: new Map([[lane.chainId, chain]]) })
    const asked = reservations.reserve({ lane, count: 1, ttlMs: 5_000, label: null, requestId: null, lockOwner: 'me' })
    await clock.advance(300)
    expect((await asked).reservations[0]?.nonce).toBe(0)
    await cluster.submit()
    await clock.advance(100)
    // The holder sends, but never says so; the pool has it when the lock runs out.
    await cluster.sendForeign(0)
    await clock.advance(5_500)
    expect((await store.loadLane(lane)).recyclable).toEqual([0])
    await cluster.submit()
    await clock.advance(200)
    await cluster.submit()
    market.calls = 0
    await clock.advance(1_000)
    expect(market.calls).toBeLessThan(20)
    reservations.close()
  })

  test('the first in the queue offers too little: those behind it continue (fast)', async () => {
    const cluster = await setUp()
    await cluster.startNode()
    await cluster.submit({ fees: { type: 'eip1559', maxFeePerGas: 1n, maxPriorityFeePerGas: 1n } })
    const good = await cluster.submit()
    await run(cluster, 60)
    expect((await cluster.find(good)).state).toBe('CONFIRMED')
  })

  test('a call that the node cannot run holds nobody else (fast)', async () => {
    const cluster = await setUp(
      {},
      {
        chain: {
          behave: ({ data }) =>
            data === '0xdead' ? { type: 'untried', message: 'timeout', gas: 21_000n } : { type: 'ok', gas: 21_000n },
        },
      },
    )
    await cluster.startNode()
    await cluster.submit({ data: '0xdead' })
    const good = await cluster.submit()
    await run(cluster, 60)
    expect((await cluster.find(good)).state).toBe('CONFIRMED')
  })
})
