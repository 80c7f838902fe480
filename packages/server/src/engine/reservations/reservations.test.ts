import { describe, expect, test } from 'vitest'
import { FAST, STABLE } from '../../core/lane/policy.ts'
import { createReservationBench, TTL_MS } from '../../testing/engine/reservation-bench.ts'
import { signWithNonce } from '../../testing/engine/sign-with-nonce.ts'
import { QUICK, type TestCluster } from '../../testing/engine/test-cluster.ts'
import { anyNote } from '../../testing/store/samples.ts'

/** Uses a reserved nonce as its holder would: signs with it, and sends by itself. */
async function sendWith(cluster: TestCluster, nonce: number) {
  const { raw, hash } = await signWithNonce(cluster, nonce)
  const [outcome] = await cluster.chain.broadcast([{ raw, hash }])
  expect(outcome).toEqual({ type: 'accepted' })
  return hash
}

async function typesOf(cluster: TestCluster): Promise<readonly string[]> {
  return (await cluster.store.readEvents(0, 1_000)).filter(({ txId }) => txId === null).map(({ type }) => type)
}

describe('reserving nonces', () => {
  test('reservations and transactions share one cursor', async () => {
    const { cluster, lend, startNode, submit, clock, store, lane } = await createReservationBench()
    await startNode()
    expect(await lend()).toMatchObject({ state: 'RESERVED', nonce: 0 })
    const id = await submit()
    await clock.advance(100)
    expect(await cluster.find(id)).toMatchObject({ nonce: 1 })
    expect(await lend()).toMatchObject({ nonce: 2 })
    expect((await store.loadLane(lane)).cursor).toBe(3)
  })

  test('they count against the same budget, and the next is reserved as soon as there is room', async () => {
    const { cluster, reserve, lend, reservations, startNode, submit, clock, soon, find } = await createReservationBench(
      {
        policy: { ...STABLE, maxInFlight: 2 },
      },
    )
    await startNode()
    const first = await lend()
    const id = await submit()
    await clock.advance(100)
    const waiting = await reserve(1, 6_000)
    expect(waiting.reservations).toMatchObject([{ state: 'REQUESTED', nonce: null }])
    const queued = await submit()
    await clock.advance(100)
    expect(await cluster.find(queued)).toMatchObject({ state: 'QUEUED' })
    expect(await cluster.find(id)).toMatchObject({ nonce: 1 })
    await soon(reservations.act(first.id, 'me', { type: 'release' }))
    await clock.advance(500)
    const takers = [await find(waiting.reservations[0]?.id ?? ''), await cluster.find(queued)]
    expect(takers.map((taker) => ('nonce' in taker ? taker.nonce : null)).filter((nonce) => nonce === 0)).toEqual([0])
  })

  test('a paused lane reserves nothing, and a request that nobody answered lapses', async () => {
    const { store, lane, reserve, startNode, clock, find, cluster } = await createReservationBench()
    await startNode()
    await store.updateSigner(lane, { paused: true }, anyNote())
    await clock.advance(6_000)
    const [asked] = (await reserve(1, 6_000)).reservations
    expect(asked).toMatchObject({ state: 'REQUESTED' })
    await clock.advance(TTL_MS)
    expect(await find(asked?.id ?? '')).toMatchObject({ state: 'EXPIRED', nonce: null })
    expect(await typesOf(cluster)).toContain('reservation.expired')
    expect((await store.loadLane(lane)).cursor).toBeNull()
  })

  test('the same request id gets the same nonces, and another body none', async () => {
    const { reservations, startNode, soon, asked } = await createReservationBench()
    await startNode()
    const request = { ...asked, count: 3, requestId: 'r1' }
    const first = await soon(reservations.reserve(request))
    expect(first.reservations.map(({ nonce }) => nonce)).toEqual([0, 1, 2])
    const again = await soon(reservations.reserve(request))
    expect(again).toEqual({ ...first, type: 'existing' })
    const others = [
      { ...request, count: 2 },
      { ...request, lockOwner: 'you' },
    ]
    for (const other of others)
      await expect(soon(reservations.reserve(other))).rejects.toMatchObject({ code: 'idempotency_conflict' })
    const unproved = await soon(reservations.reserve({ ...request, lockOwner: null }))
    expect(unproved).toMatchObject({ type: 'existing', lockOwner: null })
  })

  test('a node that dies leaves its reservations to the next, which reserves no nonce twice', async () => {
    const { reserve, startNode, clock, reservations, soon, find, store, lane } = await createReservationBench()
    const first = await startNode('node-a')
    const before = (await reserve(3)).reservations
    first.kill()
    await startNode('node-b')
    await clock.advance(20_000)
    const after = (await reserve(3)).reservations
    expect([...before, ...after].map(({ nonce }) => nonce)).toEqual([0, 1, 2, 3, 4, 5])
    await soon(reservations.act(before[1]?.id ?? '', 'me', { type: 'release' }))
    await clock.advance(500)
    expect((await store.loadLane(lane)).recyclable).toEqual([1])
    expect(await find(before[1]?.id ?? '')).toMatchObject({ state: 'RELEASED', finalAt: expect.any(Number) })
  })
})

describe('using them', () => {
  test('a hash is followed to finality, and the lane continues after it', async () => {
    const setup = await createReservationBench()
    const { cluster, lend, reservations, startNode, submit, clock, soon, find, mine, store, lane } = setup
    await startNode()
    const reserved = await lend()
    const id = await submit()
    await clock.advance(100)
    const hash = await sendWith(cluster, reserved.nonce)
    const used = await soon(reservations.act(reserved.id, 'me', { type: 'use', hash }))
    expect(used).toMatchObject({ state: 'USED', hashes: [hash] })
    await mine()
    expect(await find(reserved.id)).toMatchObject({ inclusion: { txHash: hash }, finalAt: null })
    await mine(3)
    expect(await find(reserved.id)).toMatchObject({ state: 'USED', result: 'succeeded', finalAt: expect.any(Number) })
    expect(await cluster.find(id)).toMatchObject({ state: 'CONFIRMED', nonce: 1 })
    expect(await typesOf(cluster)).toEqual([
      'reservation.granted',
      'reservation.used',
      'reservation.included',
      'reservation.final',
    ])
    const [status] = await store.listLaneStatus({ lane })
    expect(status?.health.lastConfirmationAt).toEqual(expect.any(Number))
  })

  test('an inclusion that leaves the chain is withdrawn', async () => {
    const { cluster, lend, reservations, startNode, soon, find, mine, chain, clock } = await createReservationBench()
    await startNode()
    const reserved = await lend()
    const hash = await sendWith(cluster, reserved.nonce)
    await soon(reservations.act(reserved.id, 'me', { type: 'use', hash }))
    await mine()
    expect((await find(reserved.id)).inclusion).not.toBeNull()
    chain.reorg(1, { length: 2 })
    await clock.advance(2_000)
    expect(await find(reserved.id)).toMatchObject({ inclusion: null, finalAt: null })
    expect(await typesOf(cluster)).toContain('reservation.reorged')
  })

  test('one hash too many is refused for their number, and a repeated one is not', async () => {
    const { lend, reservations, startNode, soon } = await createReservationBench()
    await startNode()
    const { id } = await lend()
    const use = (number: number) =>
      soon(reservations.act(id, 'me', { type: 'use', hash: `0x${String(number).padStart(64, '0')}` }))
    for (let number = 1; number <= 50; number++) await use(number)
    await expect(use(51)).rejects.toMatchObject({
      code: 'action_forbidden',
      message: expect.stringContaining('the most that it can have. Drover follows those 50, but not this one.'),
      details: { state: 'USED', action: 'use', limit: 50 },
    })
    expect((await use(50)).hashes).toHaveLength(50)
  })

  test('a hash of another nonce counts for nothing', async () => {
    const { cluster, lend, reservations, startNode, soon, find, mine, clock } = await createReservationBench()
    await startNode()
    const [mineReserved, other] = [await lend(), await lend()]
    const wrong = await sendWith(cluster, mineReserved.nonce)
    await expect(soon(reservations.act(other.id, 'me', { type: 'use', hash: wrong }))).rejects.toMatchObject({
      code: 'invalid_request',
    })
    expect(await find(other.id)).toMatchObject({ state: 'RESERVED' })
    await mine(5)
    await clock.advance(1_000)
    expect(await find(other.id)).toMatchObject({ inclusion: null })
  })

  test('a hash that turns out to be of another nonce takes nothing away from its owner', async () => {
    const { cluster, lend, reservations, startNode, soon, find, mine, clock } = await createReservationBench()
    await startNode()
    const [right, wrong] = [await lend(), await lend()]
    const { raw, hash } = await signWithNonce(cluster, right.nonce)
    // The chain does not know it yet, so nobody can tell.
    await soon(reservations.act(wrong.id, 'me', { type: 'use', hash }))
    await soon(reservations.act(right.id, 'me', { type: 'use', hash }))
    await cluster.chain.broadcast([{ raw, hash }])
    for (let block = 0; block < 6; block++) {
      await mine()
      await clock.advance(70_000)
    }
    expect(await find(right.id)).toMatchObject({ state: 'USED', result: 'succeeded', inclusion: { txHash: hash } })
    expect(await find(wrong.id)).toMatchObject({ state: 'USED', result: null, inclusion: null })
  })

  test('the hash of a managed transaction cannot be named', async () => {
    const { cluster, lend, reservations, startNode, submit, soon, clock } = await createReservationBench()
    await startNode()
    const reserved = await lend()
    const id = await submit()
    await clock.advance(100)
    const hash = (await cluster.find(id)).attempts[0]?.hash ?? '0x'
    const naming = soon(reservations.act(reserved.id, 'me', { type: 'use', hash }))
    await expect(naming).rejects.toMatchObject({ code: 'invalid_request', details: { field: 'hash' } })
  })

  test('a late use is refused, and without the proof any', async () => {
    const { lend, reservations, startNode, soon, clock } = await createReservationBench()
    await startNode()
    const reserved = await lend()
    const hash = `0x${'ab'.repeat(32)}` as const
    await expect(soon(reservations.act(reserved.id, 'you', { type: 'use', hash }))).rejects.toMatchObject({
      code: 'not_lock_owner',
    })
    await clock.advance(TTL_MS)
    await expect(soon(reservations.act(reserved.id, 'me', { type: 'use', hash }))).rejects.toMatchObject({
      code: 'reservation_expired',
    })
  })
})

describe('what becomes of a nonce that was not used', () => {
  test('it expires by itself and is the first to be taken again', async () => {
    const { cluster, lend, startNode, submit, clock, find, store, lane } = await createReservationBench()
    await startNode()
    const reserved = [await lend(), await lend(), await lend()]
    await clock.advance(TTL_MS + 1_000)
    expect(await find(reserved[0]?.id ?? '')).toMatchObject({ state: 'EXPIRED', nonce: 0 })
    expect((await store.loadLane(lane)).recyclable).toEqual([0, 1, 2])
    const id = await submit()
    await clock.advance(500)
    expect(await cluster.find(id)).toMatchObject({ nonce: 0 })
    expect(await lend()).toMatchObject({ nonce: 1 })
  })

  test('an extension keeps it', async () => {
    const { lend, reservations, startNode, soon, clock, find } = await createReservationBench()
    await startNode()
    const reserved = await lend()
    await clock.advance(TTL_MS - 5_000)
    await soon(reservations.act(reserved.id, 'me', { type: 'extend', ttlMs: TTL_MS }))
    await clock.advance(TTL_MS - 5_000)
    expect(await find(reserved.id)).toMatchObject({ state: 'RESERVED' })
    await clock.advance(10_000)
    expect(await find(reserved.id)).toMatchObject({ state: 'EXPIRED' })
  })

  test('used without a word, it is never given out again', async () => {
    const { cluster, lend, startNode, clock, find, mine, store, lane } = await createReservationBench()
    await startNode()
    const reserved = await lend()
    await sendWith(cluster, reserved.nonce)
    await mine()
    await clock.advance(TTL_MS + 1_000)
    // Its block may still leave the chain: neither free nor used until it is final.
    expect(await find(reserved.id)).toMatchObject({ state: 'RESERVED', finalAt: null })
    expect((await store.loadLane(lane)).recyclable).toEqual([])
    await mine(4)
    await clock.advance(1_000)
    expect(await find(reserved.id)).toMatchObject({ state: 'USED', result: 'foreign', hashes: [] })
    expect(await lend()).toMatchObject({ nonce: 1 })
  })

  test('transactions above wait for it, and are not called stuck', async () => {
    const { cluster, lend, startNode, submit, clock, mine, store, lane } = await createReservationBench({
      policy: { ...QUICK, stuckAfterMs: 10_000 },
    })
    await startNode()
    const reserved = await lend()
    const id = await submit()
    await clock.advance(20_000)
    await mine()
    expect(await cluster.find(id)).toMatchObject({ state: 'TRACKING', subState: 'blocked_by_predecessor' })
    const [status] = await store.listLaneStatus({ lane })
    expect(status).toMatchObject({ reserved: 1, lowestReserved: { reservationId: reserved.id, nonce: 0 } })
  })

  test('under the fast preset the gap that it leaves is filled', async () => {
    const { cluster, lend, startNode, submit, clock, mine, mined } = await createReservationBench({ policy: FAST })
    await startNode()
    await lend()
    const id = await submit()
    await clock.advance(TTL_MS + 2_000)
    for (let block = 0; block < 8; block++) {
      await mine()
      await clock.advance(1_000)
    }
    expect((await mined()).map(({ nonce }) => nonce)).toEqual([0, 1])
    expect(await cluster.find(id)).toMatchObject({ state: 'CONFIRMED', nonce: 1 })
  })
})

describe('resetting the cursor', () => {
  test('it goes to the nonce of the chain, and the nonces are assigned again', async () => {
    const { cluster, lend, reset, reservations, startNode, soon, clock, store, lane } = await createReservationBench()
    await startNode()
    const reserved = [await lend(), await lend()]
    for (const { id } of reserved) await soon(reservations.act(id, 'me', { type: 'release' }))
    await clock.advance(500)
    expect(await store.loadLane(lane)).toMatchObject({ cursor: 2, recyclable: [0, 1] })
    expect(await reset()).toMatchObject({ state: 'DONE', fromNonce: 2, toNonce: 0, actor: 'ann', reason: 'wiped' })
    expect(await store.loadLane(lane)).toMatchObject({ cursor: 0, recyclable: [] })
    expect(await lend()).toMatchObject({ nonce: 0 })
    const entry = (await store.readEvents(0, 100)).find(({ type }) => type === 'cursor.reset')
    expect(entry).toMatchObject({ detail: { before: 2, after: 0, actor: 'ann', reason: 'wiped' }, nodeId: 'node-a' })
    expect(await typesOf(cluster)).toContain('cursor.reset')
  })

  test('it is refused while something alive would be met again, by name', async () => {
    const { lend, reset, startNode, submit, clock, store, lane } = await createReservationBench()
    await startNode()
    const reserved = await lend()
    const id = await submit()
    await clock.advance(100)
    const refused = await reset().then(String, String)
    expect(refused).toContain(`nonce 0 of reservation ${reserved.id} (RESERVED)`)
    expect(refused).toContain(`nonce 1 of transaction ${id} (TRACKING)`)
    expect((await store.loadLane(lane)).cursor).toBe(2)
    expect(await store.listResets(lane, 5)).toMatchObject([{ state: 'REFUSED' }])
  })

  test('it follows a key that was used elsewhere', async () => {
    const { cluster, lend, reset, startNode, submit, clock, mine } = await createReservationBench()
    await startNode()
    await submit()
    await clock.advance(100)
    await mine(5)
    await cluster.sendForeign(1)
    await mine()
    expect(await reset()).toMatchObject({ fromNonce: 1, toNonce: 2 })
    expect(await lend()).toMatchObject({ nonce: 2 })
  })
})
