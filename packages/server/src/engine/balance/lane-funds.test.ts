/** Bumps that cannot be paid or are refused, what is told of a balance, and many that wait for money. */
import { describe, expect, test } from 'vitest'
import type { Policy } from '../../core/lane/policy.ts'
import { transition } from '../../core/transaction/transition.ts'
import { operate, POLICY, run } from '../../testing/engine/fast-bench.ts'
import { createTestCluster, type TestCluster, type TestClusterOptions } from '../../testing/engine/test-cluster.ts'

const GWEI = 10n ** 9n

async function setUp(policy: Partial<Policy> = {}, options: TestClusterOptions = {}) {
  return await createTestCluster({ ...options, policy: { ...POLICY, ...policy } })
}

describe('a bump that no node accepts', () => {
  test('the account cannot pay the bump: the affordable bytes are still resent', async () => {
    const cluster = await setUp()
    await cluster.startNode()
    // Enough for the original (25,200 gas at 3 gwei), far too little for 30 gwei.
    cluster.chain.setBalance(cluster.lane.signer, 25_200n * 4n * GWEI)
    const id = await cluster.submit({ value: 0n })
    await cluster.clock.advance(100)
    cluster.chain.setBaseFee(30n * GWEI)
    await run(cluster, 10)
    // The spike is over, but the pools have dropped what was too cheap for it.
    cluster.chain.dropPool()
    cluster.chain.setBaseFee(GWEI)
    await run(cluster, 120)
    const tx = await cluster.find(id)
    expect(tx).toMatchObject({ state: 'CONFIRMED' })
  })

  test('a bump that the node calls invalid (over its own fee cap) does not stop the original', async () => {
    const cluster = await setUp()
    const { chain, signer } = cluster
    const price = new Map<string, bigint>()
    const sign = signer.sign
    ;(signer as { sign: typeof sign }).sign = async (address, unsigned) => {
      const signed = await sign(address, unsigned)
      price.set(signed.hash, unsigned.fees.type === 'eip1559' ? unsigned.fees.maxFeePerGas : unsigned.fees.gasPrice)
      return signed
    }
    const broadcast = chain.broadcast
    ;(chain as { broadcast: typeof broadcast }).broadcast = async (raws) =>
      await Promise.all(
        raws.map(async (each) =>
          (price.get(each.hash) ?? 0n) <= 20n * GWEI
            ? ((await broadcast([each]))[0] ?? { type: 'ambiguous', message: '' })
            : { type: 'refused', reason: 'node_fee_cap', message: 'tx fee exceeds the configured cap' },
        ),
      )
    await cluster.startNode()
    const id = await cluster.submit()
    await cluster.clock.advance(100)
    cluster.chain.setBaseFee(30n * GWEI)
    await run(cluster, 10)
    expect.soft((await cluster.find(id)).state).toBe('TRACKING')
    cluster.chain.dropPool()
    cluster.chain.setBaseFee(GWEI)
    await run(cluster, 60)
    expect(await cluster.find(id)).toMatchObject({ state: 'CONFIRMED' })
  })
})

test('what was sent and refused for lack of money goes out again as soon as there is some', async () => {
  const cluster = await setUp({ resubmitIntervalMs: 3_600_000 })
  await cluster.startNode()
  cluster.chain.setFault(({ name }) => (name === 'broadcast' ? 'unavailable' : null))
  const id = await cluster.submit()
  await cluster.clock.advance(20)
  cluster.chain.setBalance(cluster.lane.signer, 0n)
  cluster.chain.setFault(null)
  await run(cluster, 3)
  expect(await cluster.find(id)).toMatchObject({ subState: 'waiting_for_funds', nonce: 0 })
  cluster.chain.setBalance(cluster.lane.signer, 10n ** 21n)
  await run(cluster, 6)
  expect(await cluster.find(id)).toMatchObject({ state: 'CONFIRMED' })
})

describe('balance', () => {
  async function balanceEvents(cluster: TestCluster) {
    const events = await cluster.store.readEvents(0, 10_000)
    return events.flatMap(({ type }) => (type.startsWith('balance.') ? [type] : []))
  }

  const seen = async ({ store, lane }: TestCluster) => (await store.listLaneStatus({ lane }))[0]?.health

  test('is known before anything is sent, and follows each inclusion and the timer', async () => {
    const cluster = await setUp()
    await cluster.startNode()
    expect(await seen(cluster)).toMatchObject({ balance: { wei: 10n ** 21n }, txCost: { samples: 0 } })
    await cluster.submit({ value: 7n })
    await run(cluster, 2)
    const balance = await cluster.chain.getBalance(cluster.lane.signer)
    const paid = 10n ** 21n - balance
    expect(paid).toBeGreaterThan(7n)
    expect(await seen(cluster)).toMatchObject({ balance: { wei: balance }, txCost: { wei: paid, samples: 1 } })
    // Nothing happens any more, but somebody pays in.
    cluster.chain.setBalance(cluster.lane.signer, 5n)
    await cluster.clock.advance(61_000)
    expect((await seen(cluster))?.balance?.wei).toBe(5n)
  })

  test('an unchanged balance is not stored with every read', async () => {
    const cluster = await setUp()
    const node = await cluster.startNode()
    const writes = () => node.store.calls.get('writeLanes') ?? 0
    const before = writes()
    await cluster.clock.advance(4 * 60_000)
    expect(writes()).toBe(before)
    await cluster.clock.advance(2 * 60_000)
    expect(writes()).toBe(before + 1)
  })

  test('lanes share their readings, and a lane costs one call for a block at most', async () => {
    const cluster = await createTestCluster({ policy: POLICY, signers: 5 })
    const asked: number[] = []
    const real = cluster.chain.getBalances
    ;(cluster.chain as { getBalances: typeof real }).getBalances = async (addresses, height) => {
      asked.push(addresses.length)
      return await real(addresses, height)
    }
    await cluster.startNode()
    expect(asked).toEqual([5])
    await cluster.clock.advance(60_000)
    expect(asked).toEqual([5, 5])
    asked.length = 0
    for (let count = 0; count < 20; count++) for (const lane of cluster.lanes) await cluster.submit({}, lane)
    await cluster.clock.advance(100)
    await cluster.mine()
    await cluster.clock.advance(100)
    expect((await cluster.mined()).length).toBe(100)
    // Once before nonces were taken and once after the block.
    expect(asked.reduce((sum, count) => sum + count, 0)).toBe(10)
  })

  test('a lagging node changes nothing: low balance is not reported for an old balance', async () => {
    const cluster = await setUp({ lowBalanceWei: 10n ** 18n })
    cluster.chain.setBalance(cluster.lane.signer, 10n ** 17n)
    await cluster.startNode()
    cluster.chain.setBalance(cluster.lane.signer, 10n ** 20n)
    await cluster.mine()
    await cluster.clock.advance(61_000)
    for (let count = 0; count < 5; count++) {
      // Every other reading goes to a node that does not have the block, and has the old balance.
      const isBehind = count % 2 === 0
      cluster.chain.setFault(({ name }) => (isBehind && name.startsWith('getBalance') ? 'stale' : null))
      await cluster.mine()
      await cluster.clock.advance(61_000)
    }
    expect(await balanceEvents(cluster)).toEqual(['balance.low', 'balance.restored'])
  })

  test('low by default below 20 transactions like the last ones, reported once, over at 30', async () => {
    const cluster = await setUp()
    const node = await cluster.startNode()
    await cluster.submit({ value: 10n ** 20n })
    await run(cluster, 2)
    // 9 of them are left: low. 25: still low. 31: over. 25: not low again.
    expect(await balanceEvents(cluster)).toEqual(['balance.low'])
    expect((await seen(cluster))?.problems).toMatchObject([{ code: 'balance_low' }])
    const labels = { ...cluster.lane, problem: 'balance_low' }
    expect(node.telemetry.valueOf('drover_lane_problem', labels)).toBe(1)
    expect(node.telemetry.valueOf('drover_signer_runway_transactions', { ...cluster.lane })).toBe(8)
    for (const [count, expected] of [
      [25n, 1],
      [31n, 2],
      [25n, 2],
    ] as const) {
      cluster.chain.setBalance(cluster.lane.signer, count * 10n ** 20n + 10n ** 19n)
      await cluster.mine()
      await cluster.clock.advance(61_000)
      expect(await balanceEvents(cluster)).toHaveLength(expected)
    }
  })

  test('an unused empty account is no problem', async () => {
    const cluster = await setUp()
    cluster.chain.setBalance(cluster.lane.signer, 0n)
    await cluster.startNode()
    await cluster.clock.advance(120_000)
    expect(await seen(cluster)).toMatchObject({ balance: { wei: 0n }, problems: [] })
  })

  test('out of funds is a problem of the lane until it is paid or cancelled, across a takeover', async () => {
    const cluster = await setUp()
    cluster.chain.setBalance(cluster.lane.signer, 1_000n)
    const node = await cluster.startNode('node-a')
    const id = await cluster.submit()
    await run(cluster, 2)
    const codes = async () => (await seen(cluster))?.problems.map(({ code }) => code)
    expect(await codes()).toEqual(['out_of_funds', 'balance_low'])
    expect((await seen(cluster))?.problems[0]).toMatchObject({ txId: id })
    node.kill()
    const heir = await cluster.startNode('node-b')
    await cluster.clock.advance(20_000)
    expect(await codes()).toEqual(['out_of_funds', 'balance_low'])
    expect(heir.telemetry.logs.filter(({ message }) => message.includes('Out of funds'))).toEqual([])
    cluster.chain.setBalance(cluster.lane.signer, 10n ** 20n)
    await run(cluster, 3)
    expect(await codes()).toEqual([])
  })

  test.each([
    ['money', { maxFeePerGasWei: null }, 1_000n, 'out_of_funds'],
    ['a price', { maxFeePerGasWei: 1n }, 10n ** 20n, 'fee_above_cap'],
  ] as const)('what waits for %s is cancelled: the problem is over', async (_, policy, balanceWei, code) => {
    const cluster = await setUp(policy)
    cluster.chain.setBalance(cluster.lane.signer, balanceWei)
    await cluster.startNode('node-a')
    const id = await cluster.submit()
    await run(cluster, 2)
    const codes = async () => (await seen(cluster))?.problems.map((problem) => problem.code)
    expect(await codes()).toContain(code)
    await operate(cluster, id, 'operator.cancelled')
    await run(cluster, 1)
    expect(await codes()).not.toContain(code)
  })

  test('low, takeover, restored: both are reported', async () => {
    const cluster = await setUp({ lowBalanceWei: 10n ** 18n })
    const node = await cluster.startNode('node-a')
    cluster.chain.setBalance(cluster.lane.signer, 10n ** 17n)
    await cluster.submit()
    await run(cluster, 2)
    node.kill()
    cluster.chain.setBalance(cluster.lane.signer, 10n ** 19n)
    await cluster.startNode('node-b')
    await cluster.clock.advance(20_000)
    await cluster.submit()
    await run(cluster, 3)
    expect(await balanceEvents(cluster)).toEqual(['balance.low', 'balance.restored'])
  })

  test('an operator change at the wrong moment does not report a low balance again', async () => {
    const cluster = await setUp({ lowBalanceWei: 10n ** 18n })
    await cluster.startNode('node-a')
    cluster.chain.setBalance(cluster.lane.signer, 10n ** 17n)
    const id = await cluster.submit()
    await run(cluster, 1)
    // Its inclusion is about to be written: what is stored in between makes that write stale.
    const other = await cluster.submit()
    await cluster.clock.advance(100)
    const tx = await cluster.find(other)
    const by = { actor: 'ann', reason: 'drill' }
    const step = transition(tx, { type: 'operator.sped_up', at: cluster.clock.now(), by }, POLICY)
    const { version, state, attempts } = tx
    cluster.chain.mine()
    await cluster.clock.advance(1)
    await cluster.store.amend(
      { before: { version, state, attemptCount: attempts.length }, tx: step.tx, notes: step.notes },
      [],
    )
    await cluster.clock.advance(100)
    void id
    await cluster.submit()
    await run(cluster, 3)
    expect(await balanceEvents(cluster)).toEqual(['balance.low'])
  })
})

describe('many', () => {
  test('1,000 without money: the lane rests', async () => {
    const cluster = await setUp()
    let estimates = 0
    const real = cluster.chain.estimate
    ;(cluster.chain as { estimate: typeof real }).estimate = async (calls, head) => {
      estimates += calls.length
      return await real(calls, head)
    }
    cluster.chain.setBalance(cluster.lane.signer, 1_000n)
    await cluster.startNode()
    for (let index = 0; index < 1_000; index++) await cluster.submit()
    await run(cluster, 30)
    estimates = 0
    const before = (await cluster.store.readEvents(0, 1_000_000)).length
    const fees = [1n, 2n, 3n]
    for (let count = 0; count < 150; count++) {
      cluster.chain.setBaseFee(GWEI + (fees[count % 3] ?? 1n))
      await cluster.clock.advance(2_000)
      await cluster.mine()
    }
    const events = (await cluster.store.readEvents(0, 1_000_000)).length - before
    expect(events).toBeLessThan(500)
    // Once each in five minutes, because prices may fall.
    expect(estimates).toBeLessThanOrEqual(1_000)
  })
})
