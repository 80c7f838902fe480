/** The fast preset as a whole: fees, replacement, gaps and funds, on one lane with a chain that does what the test says. */
import { parseTransaction } from 'viem'
import { describe, expect, test } from 'vitest'
import type { Policy } from '../core/lane/policy.ts'
import type { Transaction } from '../core/transaction/transaction.ts'
import { operate, POLICY, run } from '../testing/engine/fast-bench.ts'
import {
  createTestCluster,
  type TestCluster,
  type TestClusterOptions,
  type TestNode,
} from '../testing/engine/test-cluster.ts'

const GWEI = 10n ** 9n

async function setUp(policy: Partial<Policy> = {}, options: TestClusterOptions = {}) {
  const cluster = await createTestCluster({ ...options, policy: { ...POLICY, ...policy } })
  const node = await cluster.startNode()
  return { cluster, node }
}

async function submitMany(cluster: TestCluster, count: number, over = {}): Promise<readonly string[]> {
  const ids: string[] = []
  for (let index = 0; index < count; index++) ids.push(await cluster.submit(over))
  await cluster.clock.advance(100)
  return ids
}

function findAll(cluster: TestCluster, ids: readonly string[]): Promise<readonly Transaction[]> {
  return Promise.all(ids.map((id) => cluster.find(id)))
}

/** Time passes and blocks come, as on a chain with two-second blocks. */
function broadcasts(node: TestNode, outcome: string): number {
  return node.telemetry.valueOf('drover_broadcasts_total', { outcome })
}

async function expectNoGap(cluster: TestCluster): Promise<void> {
  const nonces = (await cluster.mined()).map(({ nonce }) => nonce)
  expect(nonces).toEqual(nonces.map((_, index) => index))
}

describe('price', () => {
  test('the base fee rises tenfold under 50 in flight: all are bumped, none refused as underpriced, all mined', async () => {
    const { cluster, node } = await setUp({ maxFeePerGasWei: 40n * GWEI })
    const ids = await submitMany(cluster, 50)
    cluster.chain.setBaseFee(10n * GWEI)
    await run(cluster, 20)
    const all = await findAll(cluster, ids)
    expect(all.map(({ state }) => state)).toEqual(ids.map(() => 'CONFIRMED'))
    expect(all.every(({ attempts }) => attempts.length === 2 && attempts[1]?.kind === 'bump')).toBe(true)
    for (const { attempts } of all) {
      const [first, second] = attempts.map(({ fees }) => fees)
      if (first?.type !== 'eip1559' || second?.type !== 'eip1559') throw new Error('not EIP-1559')
      expect(second.maxFeePerGas * 8n).toBeGreaterThanOrEqual(first.maxFeePerGas * 9n)
      expect(second.maxPriorityFeePerGas * 8n).toBeGreaterThanOrEqual(first.maxPriorityFeePerGas * 9n)
      expect(second.maxFeePerGas).toBeLessThanOrEqual(40n * GWEI)
    }
    expect(broadcasts(node, 'replacement_underpriced') + broadcasts(node, 'underpriced')).toBe(0)
    expect(await cluster.mined()).toHaveLength(50)
    await expectNoGap(cluster)
  })

  test('what is dear enough is left alone, however long it waits for those below it', async () => {
    const { cluster } = await setUp()
    const ids = await submitMany(cluster, 3)
    for (let count = 0; count < 8; count++) {
      await cluster.clock.advance(2_000)
      cluster.chain.mine(() => false)
    }
    expect((await findAll(cluster, ids)).map(({ attempts }) => attempts.length)).toEqual([1, 1, 1])
  })

  test('blocks skip the lowest nonce although its price is fine: the same bytes are resent, at the same price', async () => {
    const { cluster } = await setUp()
    const ids = await submitMany(cluster, 3)
    for (let count = 0; count < 18; count++) {
      await cluster.clock.advance(2_000)
      cluster.chain.mine(() => false)
    }
    await cluster.clock.advance(100)
    expect((await findAll(cluster, ids)).map(({ attempts }) => attempts.length)).toEqual([1, 1, 1])
    const [lowest] = await findAll(cluster, ids)
    const sends = cluster.sent.filter(({ hash }) => hash === lowest?.attempts[0]?.hash).length
    expect(sends).toBeGreaterThan(2)
    expect(sends).toBeLessThan(8)
  })

  test('where gas is free nothing is bumped, however long no block takes it: an account without money could not pay', async () => {
    const cluster = await createTestCluster({ policy: POLICY })
    cluster.chain.setBaseFee(0n)
    const free = { slow: 0n, standard: 0n, fast: 0n }
    Object.assign(cluster.chain, {
      getFeeMarket: async () => ({ baseFeePerGas: 0n, gasPrice: 0n, priorityFeePerGas: free }),
    })
    await cluster.startNode()
    const ids = await submitMany(cluster, 1)
    for (let count = 0; count < 18; count++) {
      await cluster.clock.advance(2_000)
      cluster.chain.mine(() => false)
    }
    await cluster.clock.advance(100)
    const [tx] = await findAll(cluster, ids)
    expect(tx).toMatchObject({ state: 'TRACKING', attempts: [{ fees: { maxFeePerGas: 0n } }] })
    expect(tx?.attempts).toHaveLength(1)
  })

  test('the original is mined after a bump was sent: confirmed once, by the original', async () => {
    const { cluster } = await setUp()
    const [id = ''] = await submitMany(cluster, 1)
    const original = (await cluster.find(id)).attempts[0]?.hash
    cluster.chain.setBaseFee(10n * GWEI)
    // The bump is stored and sent, and no answer comes; the node that mines has only the original.
    cluster.chain.setFault(({ name, hash }) => (name === 'broadcast' && hash !== original ? 'unavailable' : null))
    await run(cluster, 8)
    expect((await cluster.find(id)).attempts.length).toBeGreaterThan(1)
    cluster.chain.setBaseFee(GWEI)
    await run(cluster, 6)
    expect(await cluster.find(id)).toMatchObject({ state: 'CONFIRMED', inclusion: { txHash: original } })
    expect(await cluster.mined()).toHaveLength(1)
  })

  test('at the cap the same bytes are resent, and it says so once', async () => {
    const { cluster } = await setUp({ maxFeePerGasWei: 3n * GWEI })
    const [id = ''] = await submitMany(cluster, 1)
    cluster.chain.setBaseFee(30n * GWEI)
    await run(cluster, 40)
    const tx = await cluster.find(id)
    expect(tx).toMatchObject({ state: 'TRACKING', subState: 'fee_above_cap', error: { code: 'fee_above_cap' } })
    expect(tx.attempts).toHaveLength(1)
    const history = await cluster.store.readHistory(id)
    expect(history.filter(({ type }) => type === 'fee.capped')).toMatchObject([{ count: 1 }])
    expect(cluster.sent.filter(({ hash }) => hash === tx.attempts[0]?.hash).length).toBeGreaterThan(1)
    cluster.chain.setBaseFee(GWEI)
    await run(cluster, 5)
    expect((await cluster.find(id)).state).toBe('CONFIRMED')
  })

  test("a caller's own fees are the most it pays", async () => {
    const { cluster } = await setUp()
    const fees = { type: 'eip1559', maxFeePerGas: 3n * GWEI, maxPriorityFeePerGas: GWEI } as const
    const [id = ''] = await submitMany(cluster, 1, { fees })
    cluster.chain.setBaseFee(10n * GWEI)
    await run(cluster, 10)
    expect(await cluster.find(id)).toMatchObject({ subState: 'fee_above_cap', attempts: { length: 1 } })
  })

  test('a bump survives the node that made it: the next owner knows its hash and sends it', async () => {
    const { cluster, node } = await setUp()
    const [id = ''] = await submitMany(cluster, 1)
    cluster.chain.setBaseFee(10n * GWEI)
    cluster.chain.setFault(({ name }) => (name === 'broadcast' ? 'unavailable' : null))
    await run(cluster, 7)
    const { attempts } = await cluster.find(id)
    expect(attempts.length).toBeGreaterThan(1)
    node.kill()
    cluster.chain.setFault(null)
    await cluster.startNode('node-b')
    await run(cluster, 30)
    expect(await cluster.find(id)).toMatchObject({ state: 'CONFIRMED' })
    expect(await cluster.mined()).toHaveLength(1)
  })
})

describe('a requested replacement', () => {
  test('cancel: an empty transaction takes the nonce', async () => {
    const { cluster } = await setUp()
    const [first = '', second = ''] = await submitMany(cluster, 2)
    await operate(cluster, first, 'operator.cancelled')
    await run(cluster, 5)
    expect(await cluster.find(first)).toMatchObject({ state: 'CANCELLED', nonce: 0, attempts: { length: 2 } })
    expect(await cluster.find(second)).toMatchObject({ state: 'CONFIRMED', nonce: 1 })
    expect(await cluster.mined()).toHaveLength(2)
  })

  test('what cancels moves no money and calls nobody', async () => {
    const { cluster } = await setUp()
    const [id = ''] = await submitMany(cluster, 1, { value: 5n, data: '0xabcdef01' })
    await operate(cluster, id, 'operator.cancelled')
    const cancel = (await cluster.find(id)).attempts.at(-1)
    if (cancel?.kind !== 'cancel') throw new Error('not cancelled')
    const { to, value = 0n, data = '0x' } = parseTransaction(cancel.raw)
    expect([to?.toLowerCase(), value, data]).toEqual([cluster.lane.signer, 0n, '0x'])
  })

  test('cancel that comes too late: the original was mined, and it ends so', async () => {
    const { cluster } = await setUp()
    const [id = ''] = await submitMany(cluster, 1)
    const original = (await cluster.find(id)).attempts[0]?.hash
    cluster.chain.setFault(({ name, hash }) => (name === 'broadcast' && hash !== original ? 'unavailable' : null))
    await operate(cluster, id, 'operator.cancelled')
    await run(cluster, 6)
    expect(await cluster.find(id)).toMatchObject({ state: 'CONFIRMED', inclusion: { txHash: original } })
  })

  test('speed-up signs again at once, and a later bump after a cancel raises the cancel', async () => {
    const { cluster } = await setUp()
    const [id = ''] = await submitMany(cluster, 1)
    await operate(cluster, id, 'operator.sped_up')
    expect((await cluster.find(id)).attempts.map(({ kind }) => kind)).toEqual(['original', 'bump'])
    cluster.chain.setBaseFee(100n * GWEI)
    await operate(cluster, id, 'operator.cancelled')
    await run(cluster, 12)
    const kinds = (await cluster.find(id)).attempts.map(({ kind }) => kind)
    expect(kinds.slice(0, 3)).toEqual(['original', 'bump', 'cancel'])
    expect(new Set(kinds.slice(2))).toEqual(new Set(['cancel']))
    expect((await cluster.find(id)).state).toBe('CANCELLED')
  })

  test('validUntil passes after it was sent: replaced by nothing, and the end says why', async () => {
    const { cluster } = await setUp()
    const validUntil = cluster.clock.now() + 5_000
    const [id = ''] = await submitMany(cluster, 1, { validUntil })
    cluster.chain.setBaseFee(3n * GWEI)
    await cluster.clock.advance(6_000)
    await run(cluster, 12)
    expect(await cluster.find(id)).toMatchObject({ state: 'CANCELLED', error: { code: 'expired' }, nonce: 0 })
  })
})

describe('gaps', () => {
  /** Less gas than any transaction needs: refused by every node. */
  const BAD = { gasLimit: 20_000n, simulate: false }

  test('a refusal that proves the bytes invalid frees the nonce, and the next queued transaction gets it before any higher one', async () => {
    const { cluster } = await setUp({ maxInFlight: 2 })
    const [bad, good, third] = [await cluster.submit(BAD), await cluster.submit(), await cluster.submit()]
    await run(cluster, 6)
    expect(await cluster.find(bad)).toMatchObject({ state: 'CANCELLED', subState: 'rejected', nonce: null })
    expect(await cluster.find(good)).toMatchObject({ state: 'CONFIRMED', nonce: 1 })
    expect(await cluster.find(third)).toMatchObject({ state: 'CONFIRMED', nonce: 0 })
    expect(await cluster.mined()).toHaveLength(2)
    await expectNoGap(cluster)
  })

  test('with nothing in line the gap is filled by an empty transaction', async () => {
    const { cluster } = await setUp()
    await cluster.submit(BAD)
    const good = await cluster.submit()
    await run(cluster, 6)
    expect(await cluster.find(good)).toMatchObject({ state: 'CONFIRMED', nonce: 1 })
    const { items } = await cluster.store.listTransactions({ nonce: 0 }, { after: null, limit: 10 })
    expect(items).toMatchObject([
      { state: 'CONFIRMED', intent: { metadata: { purpose: 'gap_fill' }, value: 0n }, attempts: [{ kind: 'noop' }] },
    ])
    await expectNoGap(cluster)
  })

  test('a free nonce with nothing above it is left for the next, and no empty transaction is made', async () => {
    const { cluster } = await setUp()
    await cluster.submit(BAD)
    await run(cluster, 4)
    expect(await cluster.mined()).toEqual([])
    const next = await cluster.submit()
    await run(cluster, 5)
    expect(await cluster.find(next)).toMatchObject({ state: 'CONFIRMED', nonce: 0 })
    expect((await cluster.store.loadLane(cluster.lane)).recyclable).toEqual([])
  })

  test('many bad ones among good ones: no gap, each good one once, and no more nonces than needed', async () => {
    const { cluster } = await setUp()
    const good: string[] = []
    for (let index = 0; index < 60; index++) {
      if (index % 5 === 0) await cluster.submit(BAD)
      else good.push(await cluster.submit())
      if (index % 7 === 0) await cluster.clock.advance(50)
    }
    await run(cluster, 12)
    expect((await findAll(cluster, good)).map(({ state }) => state)).toEqual(good.map(() => 'CONFIRMED'))
    await expectNoGap(cluster)
    expect((await cluster.store.loadLane(cluster.lane)).inFlight).toEqual([])
  })

  test('a nonce that was left to a foreign transaction which is then dropped is found and filled', async () => {
    const { cluster } = await setUp()
    await cluster.sendForeign(0)
    const [id = ''] = await submitMany(cluster, 1)
    expect(await cluster.find(id)).toMatchObject({ nonce: 1 })
    cluster.chain.dropPool()
    await run(cluster, 4)
    expect(await cluster.mined()).toEqual([])
    await run(cluster, 30)
    expect(await cluster.find(id)).toMatchObject({ state: 'CONFIRMED', nonce: 1 })
    await expectNoGap(cluster)
    const events = await cluster.store.readEvents(0, 1_000)
    expect(events.filter(({ type }) => type === 'gap.found')).toMatchObject([{ detail: { nonces: [0] } }])
  })

  test('stable never frees a nonce', async () => {
    const { cluster } = await setUp({ mayReplace: 'never' })
    const bad = await cluster.submit(BAD)
    await run(cluster, 3)
    expect(await cluster.find(bad)).toMatchObject({ state: 'STUCK', subState: 'rejected_by_node', nonce: 0 })
  })

  test('after a takeover a refusal proves nothing any more', async () => {
    const { cluster, node } = await setUp()
    const bad = await cluster.submit(BAD)
    cluster.chain.setFault(({ name }) => (name === 'broadcast' ? 'answer_lost' : null))
    await cluster.clock.advance(20)
    node.kill()
    cluster.chain.setFault(null)
    await cluster.startNode('node-b')
    await run(cluster, 15)
    expect(await cluster.find(bad)).toMatchObject({ state: 'CANCELLED', subState: 'rejected', nonce: 0 })
    expect((await cluster.find(bad)).attempts.map(({ kind }) => kind)).toEqual(['original', 'cancel'])
    expect(await cluster.mined()).toHaveLength(1)
  })
})

describe('a foreign transaction', () => {
  test('takes a nonce: requeued at its old position, gets a new nonce, once on chain', async () => {
    const { cluster } = await setUp({}, { chainSettings: { staleReceiptTimeoutMs: 4_000 } })
    cluster.chain.setFault(({ name }) => (name === 'broadcast' ? 'unavailable' : null))
    const [id = ''] = await submitMany(cluster, 1)
    cluster.chain.setFault(null)
    await cluster.sendForeign(0)
    await run(cluster, 25)
    const tx = await cluster.find(id)
    expect(tx).toMatchObject({ state: 'CONFIRMED', nonce: 1 })
    expect((await cluster.store.readHistory(id)).find(({ type }) => type === 'nonce.lost')).toMatchObject({
      cause: 'replaced',
      toState: 'QUEUED',
    })
    expect(await cluster.mined()).toHaveLength(2)
  })
})

describe('funds', () => {
  /** Estimated gas with room, at twice the base fee and a tip of one. */
  const COST = ((21_000n * 120n) / 100n) * 3n * GWEI + 1n

  test('one oversized intent among 100: 99 are mined, and it waits', async () => {
    const { cluster } = await setUp()
    cluster.chain.setBalance(cluster.lane.signer, 10n ** 18n)
    const ids: string[] = []
    for (let index = 0; index < 100; index++)
      ids.push(await cluster.submit(index === 10 ? { value: 10n ** 19n, gasLimit: 21_000n, simulate: false } : {}))
    await run(cluster, 10)
    const all = await findAll(cluster, ids)
    expect(all.filter(({ state }) => state === 'CONFIRMED')).toHaveLength(99)
    expect(all[10]).toMatchObject({ state: 'QUEUED', subState: 'waiting_for_funds' })
    await expectNoGap(cluster)
    cluster.chain.setBalance(cluster.lane.signer, 10n ** 20n)
    await run(cluster, 6)
    expect((await cluster.find(ids[10] ?? '')).state).toBe('CONFIRMED')
  })

  test('a drained account pauses its lane, confirmations continue, and after a top-up it is sent within two blocks', async () => {
    const { cluster } = await setUp()
    const before = await submitMany(cluster, 2)
    await cluster.mine()
    cluster.chain.setBalance(cluster.lane.signer, 1_000n)
    const ids = await submitMany(cluster, 5)
    await run(cluster, 40)
    expect((await findAll(cluster, before)).map(({ state }) => state)).toEqual(['CONFIRMED', 'CONFIRMED'])
    const parked = await findAll(cluster, ids)
    expect(parked.map(({ state, subState }) => `${state}/${subState}`)).toEqual(
      ids.map(() => 'QUEUED/waiting_for_funds'),
    )
    cluster.chain.setBalance(cluster.lane.signer, 10n ** 18n)
    await run(cluster, 2)
    expect((await findAll(cluster, ids)).map((tx) => ('inclusion' in tx ? tx.inclusion !== null : false))).toEqual(
      ids.map(() => true),
    )
  })

  test('never more is committed than the account has', async () => {
    const { cluster, node } = await setUp()
    cluster.chain.setBalance(cluster.lane.signer, COST * 10n)
    const ids = await submitMany(cluster, 30)
    const sent = (await findAll(cluster, ids)).filter(({ state }) => state !== 'QUEUED')
    expect(sent).toHaveLength(10)
    expect(broadcasts(node, 'insufficient_funds')).toBe(0)
  })

  test('stable waits instead', async () => {
    const { cluster } = await setUp({ onDeferral: 'hold' })
    const big = await cluster.submit({ value: 10n ** 22n, gasLimit: 21_000n, simulate: false })
    const small = await cluster.submit()
    await run(cluster, 5)
    expect(await cluster.find(big)).toMatchObject({ state: 'QUEUED', subState: 'waiting_for_funds' })
    expect(await cluster.find(small)).toMatchObject({ state: 'QUEUED', subState: 'accepted' })
    cluster.chain.setBalance(cluster.lane.signer, 10n ** 23n)
    await run(cluster, 6)
    expect((await findAll(cluster, [big, small])).map(({ state }) => state)).toEqual(['CONFIRMED', 'CONFIRMED'])
  })

  test('a low balance is reported once, and its recovery once', async () => {
    const { cluster } = await setUp({ lowBalanceWei: 10n ** 18n })
    cluster.chain.setBalance(cluster.lane.signer, 10n ** 17n)
    for (let count = 0; count < 3; count++) {
      await submitMany(cluster, 1)
      await run(cluster, 1)
    }
    cluster.chain.setBalance(cluster.lane.signer, 10n ** 19n)
    await submitMany(cluster, 1)
    await run(cluster, 1)
    const events = await cluster.store.readEvents(0, 1_000)
    expect(events.flatMap(({ type }) => (type.startsWith('balance.') ? [type] : []))).toEqual([
      'balance.low',
      'balance.restored',
    ])
  })
})

describe('how many at once', () => {
  test('no more than policy says wait to be mined; what is mined makes room at once', async () => {
    const { cluster } = await setUp({ maxInFlight: 5 })
    const ids = await submitMany(cluster, 12)
    expect(cluster.chain.pooled()).toHaveLength(5)
    await cluster.mine()
    await cluster.clock.advance(100)
    expect(cluster.chain.pooled()).toHaveLength(5)
    await run(cluster, 12)
    expect((await findAll(cluster, ids)).every(({ state }) => state === 'CONFIRMED')).toBe(true)
  })

  test('one where the account carries delegated code', async () => {
    const cluster = await createTestCluster({ policy: POLICY })
    cluster.chain.setCode(cluster.lane.signer, `0xef0100${'ab'.repeat(20)}`)
    await cluster.startNode()
    const ids = await submitMany(cluster, 3)
    expect(cluster.chain.pooled()).toHaveLength(1)
    await run(cluster, 8)
    expect((await findAll(cluster, ids)).every(({ state }) => state === 'CONFIRMED')).toBe(true)
  })
})
