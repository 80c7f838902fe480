/** Reservations, resets and foreign nonces, with nodes that are behind, chains that change their mind and answers that come late. */
import { describe, expect, test } from 'vitest'
import { STABLE } from '../../core/lane/policy.ts'
import { POLICY, run } from '../../testing/engine/fast-bench.ts'
import { createReservationBench } from '../../testing/engine/reservation-bench.ts'
import { signWithNonce } from '../../testing/engine/sign-with-nonce.ts'
import { QUICK, type TestCluster } from '../../testing/engine/test-cluster.ts'

type Bench = Awaited<ReturnType<typeof createReservationBench>>

async function sendWith(cluster: TestCluster, nonce: number) {
  const { raw, hash } = await signWithNonce(cluster, nonce)
  await cluster.chain.broadcast([{ raw, hash }])
  return hash
}

/** The counts are asked for, and arrive when whoever asked for a nonce has changed its mind. */
async function letCountsComeLate({
  cluster,
  reservations,
  clock,
  soon,
  asked,
  chain,
  startNode,
}: Bench): Promise<void> {
  const real = chain.getTransactionCount
  let slow = false
  ;(chain as { getTransactionCount: typeof real }).getTransactionCount = async (address, tag) => {
    const count = await real(address, tag)
    if (slow) await new Promise<void>((resolve) => void clock.schedule(200, resolve))
    return count
  }
  await startNode()
  slow = true
  const first = reservations.reserve({ ...asked, requestId: 'r' })
  await clock.advance(50)
  const [row] = (await cluster.store.readLaneRequests(cluster.lane)).reservations
  await soon(reservations.act(row?.id ?? '', 'me', { type: 'release' }), 500)
  await soon(first, 100)
  slow = false
}

describe('counts', () => {
  test('counts that came when nobody needed them any more are not used an hour later', async () => {
    const bench = await createReservationBench({ policy: { ...QUICK, externalUse: true } })
    const { cluster, clock, lend, mine } = bench
    await letCountsComeLate(bench)
    // Somebody else uses the key: nonces 0 and 1 are gone.
    for (let nonce = 0; nonce < 2; nonce++) await cluster.sendForeign(nonce)
    await mine(5)
    await clock.advance(3_600_000)
    expect((await lend()).nonce).toBe(2)
  })

  test('nor is the cursor reset to them', async () => {
    const bench = await createReservationBench({ policy: { ...QUICK, externalUse: true } })
    const { cluster, clock, reset, mine } = bench
    await letCountsComeLate(bench)
    for (let nonce = 0; nonce < 5; nonce++) await cluster.sendForeign(nonce)
    await mine(5)
    await clock.advance(3_600_000)
    expect(await reset()).toMatchObject({ state: 'DONE', toNonce: 5 })
  })

  test('a node that is a block behind does not make the cursor go below a mined nonce', async () => {
    const { cluster, startNode, submit, clock, chain, reset, mine, store, lane } = await createReservationBench({
      policy: STABLE,
      chainSettings: { finality: { type: 'confirmations', count: 0 } },
    })
    await startNode()
    const id = await submit()
    await clock.advance(100)
    await mine()
    expect(await cluster.find(id)).toMatchObject({ state: 'CONFIRMED', nonce: 0 })
    chain.setFault(({ name }) => (name === 'getTransactionCount' ? 'stale' : null))
    await reset().catch(() => {})
    chain.setFault(null)
    expect((await store.loadLane(lane)).cursor).toBe(1)
  })

  test('nor that a nonce which is used is reserved or given again', async () => {
    const { cluster, lend, startNode, submit, clock, chain, mine, find } = await createReservationBench({
      policy: { ...STABLE, maxInFlight: 5 },
    })
    await startNode()
    const reserved = await lend(5_000)
    await sendWith(cluster, reserved.nonce)
    await clock.advance(4_000)
    await mine()
    chain.setFault(({ name }) => (name === 'getTransactionCount' ? 'stale' : null))
    await clock.advance(3_000)
    expect((await find(reserved.id)).state).not.toBe('EXPIRED')
    chain.setFault(null)
    void submit
  })

  test('a broken cycle does not end all answers', async () => {
    const { startNode, clock, lend, chain, store, submit } = await createReservationBench({
      policy: { ...QUICK, externalUse: true },
    })
    const node = await startNode()
    const real = chain.getTransactionCount
    let slow = true
    ;(chain as { getTransactionCount: typeof real }).getTransactionCount = async (address, tag) => {
      const count = await real(address, tag)
      if (slow) await new Promise<void>((resolve) => void clock.schedule(50, resolve))
      return count
    }
    void store
    // A write that breaks (not: is unavailable) in the very cycle in which the counts come.
    const writeLanes = node.store.writeLanes
    let broken = 0
    ;(node.store as { writeLanes: typeof writeLanes }).writeLanes = async (writes) => {
      if (broken-- > 0) throw new Error('the statement broke')
      return await writeLanes(writes)
    }
    const asked = lend().catch((error: unknown) => error)
    await clock.advance(20)
    broken = 3
    for (let count = 0; count < 10; count++) {
      await submit()
      await clock.advance(10)
    }
    slow = false
    broken = 0
    await asked
    expect(await lend().catch((error: unknown) => String(error))).toMatchObject({ state: 'RESERVED' })
  })
})

describe('a chain that changes its mind', () => {
  test('stable: a free nonce used by a block that is reorged away is not lost forever', async () => {
    const { cluster, lend, startNode, submit, clock, chain, mine, store, lane } = await createReservationBench({
      policy: { ...STABLE, maxInFlight: 3, stuckAfterMs: 60_000 },
    })
    await startNode()
    await lend(5_000)
    await clock.advance(6_000)
    expect((await store.loadLane(lane)).recyclable).toEqual([0])
    // The late holder: in a block, seen by the lane when it gives out the next nonce.
    await sendWith(cluster, 0)
    await mine()
    const id = await submit()
    await clock.advance(300)
    expect(await cluster.find(id)).toMatchObject({ nonce: 1 })
    chain.reorg(1, { length: 2, keep: 'dropped' })
    await clock.advance(1_000)
    const next = await submit()
    for (let count = 0; count < 60; count++) {
      await clock.advance(5_000)
      await mine()
    }
    expect.soft(await cluster.find(next)).toMatchObject({ state: 'CONFIRMED' })
    expect(await cluster.find(id)).toMatchObject({ state: 'CONFIRMED' })
  })

  test('a nonce is called lost only as deep as finality: not before `finalized` is past the block', async () => {
    const { cluster, startNode, submit, clock, chain } = await createReservationBench({
      policy: POLICY,
      chain: { finalizedDepth: 1_000 },
      chainSettings: { finality: { type: 'finalized' }, staleReceiptTimeoutMs: 4_000, headerWindow: 256 },
    })
    await startNode()
    chain.setFault(({ name }) => (name === 'broadcast' ? 'unavailable' : null))
    const id = await submit()
    await clock.advance(100)
    chain.setFault(null)
    await cluster.sendForeign(0)
    await run(cluster, 100)
    const history = await cluster.store.readHistory(id)
    expect(history.filter(({ type }) => type === 'nonce.lost')).toEqual([])
  })
})

describe('gaps and reservations', () => {
  test('a gap below a used reservation is found and filled', async () => {
    const { cluster, lend, startNode, submit, clock, chain, reservations, soon, find } = await createReservationBench({
      policy: POLICY,
    })
    await startNode()
    await cluster.sendForeign(0)
    const reserved = await lend()
    expect(reserved.nonce).toBe(1)
    const hash = await sendWith(cluster, 1)
    await soon(reservations.act(reserved.id, 'me', { type: 'use', hash }))
    const id = await submit()
    await clock.advance(100)
    expect(await cluster.find(id)).toMatchObject({ nonce: 2 })
    // The foreign one is evicted; the reservation's stays.
    const kept = chain.pooled().filter(({ nonce }) => nonce > 0)
    chain.dropPool()
    for (const { raw, hash: own } of kept) await chain.broadcast([{ raw, hash: own }])
    await run(cluster, 60)
    expect.soft(await find(reserved.id)).toMatchObject({ result: 'succeeded' })
    expect(await cluster.find(id)).toMatchObject({ state: 'CONFIRMED' })
  })
})

describe('named hashes', () => {
  test('a node that cannot resolve a hash is asked again with pauses', async () => {
    const { cluster, lend, startNode, clock, chain, reservations, soon, mine } = await createReservationBench({
      policy: POLICY,
    })
    await startNode()
    const reserved = await lend()
    const hash = await sendWith(cluster, 0)
    await soon(reservations.act(reserved.id, 'me', { type: 'use', hash }))
    let calls = 0
    const real = chain.findTransaction
    ;(chain as { findTransaction: typeof real }).findTransaction = async (asked) => {
      calls++
      return calls > 500 ? await real(asked) : null
    }
    // findTransaction was bound when the node started, so the node's own copy is faulted instead.
    chain.setFault(({ name }) => {
      if (name !== 'findTransaction') return null
      calls++
      return calls > 500 ? null : 'unavailable'
    })
    await mine()
    await clock.advance(1_000)
    expect(calls).toBeLessThan(50)
  })
})

describe('reset', () => {
  test('after a wiped chain and a reset the same intent can be sent again', async () => {
    const { cluster, startNode, submit, clock, chain, reset, mine } = await createReservationBench({ policy: POLICY })
    const node = await startNode()
    const same = { to: `0x${'ab'.repeat(20)}`, value: 5n } as const
    const before = await submit(same)
    await clock.advance(100)
    await mine(5)
    expect(await cluster.find(before)).toMatchObject({ state: 'CONFIRMED', nonce: 0 })
    chain.reorg(6, { length: 7, keep: 'dropped' })
    await clock.advance(2_000)
    expect(await reset()).toMatchObject({ state: 'DONE', toNonce: 0 })
    const after = await submit(same)
    const other = await submit()
    await run(cluster, 20)
    expect.soft(node.telemetry.valueOf('drover_lane_reloads_total', { cause: 'refused' })).toBeLessThan(3)
    expect.soft(await cluster.find(after)).toMatchObject({ state: 'CONFIRMED' })
    expect(await cluster.find(other)).toMatchObject({ state: 'CONFIRMED' })
  })
})
