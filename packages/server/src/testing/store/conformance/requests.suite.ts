/** What is asked of a lane's owner: nonces for callers that sign themselves, resets of the cursor; and what the lane says of itself. */
import { describe, expect, test } from 'vitest'
import type { Lane, Lease } from '../../../core/lane/lane.ts'
import { moveReservation, type Reservation, type ReservationEvent } from '../../../core/lane/reservation.ts'
import { narrowWindow, openWindow, windowLimits } from '../../../core/lane/window.ts'
import type { ReservationSave } from '../../../ports/lane-requests.ts'
import type { LaneWrite } from '../../../ports/lane-write.ts'
import type { Store } from '../../../ports/store.ts'
import {
  acceptOne,
  acquire,
  allocateOne,
  anyHash,
  anyId,
  anyLane,
  anyNote,
  lastEventId,
  registerLane,
  toAllocated,
  toConfirmed,
  toSave,
  toWrite,
  write,
} from '../samples.ts'
import type { GetStore } from './store.suite.ts'

const TTL_MS = 30_000
const OWNER = 'digest-of-the-proof'
const AT = 1_700_000_001_000

async function ask(store: Store, lane: Lane, over: { requestId?: string; count?: number } = {}) {
  const items = Array.from({ length: over.count ?? 1 }, () => ({ id: anyId(), lockOwner: OWNER }))
  const request = { lane, items, ttlMs: TTL_MS, label: 'worker', requestId: over.requestId ?? null }
  return await store.insertReservations(request)
}

async function askOne(store: Store, lane: Lane): Promise<Reservation> {
  const outcome = await ask(store, lane)
  const reservation = outcome.type === 'inserted' ? outcome.reservations[0] : undefined
  if (reservation === undefined) throw new Error(`expected an insert, got ${outcome.type}`)
  return reservation
}

/** The write by which a lane's owner carries out a step. */
function toStepWrite(lease: Lease, before: Reservation, event: ReservationEvent, over: Partial<LaneWrite> = {}) {
  const step = moveReservation(before, event)
  if (step === null) throw new Error(`${event.type} changes nothing`)
  const { reservation, mark, note } = step
  const save: ReservationSave = { before, reservation, locks: event.type === 'reservation.granted' }
  const reservationId = mark === 'RECYCLABLE' || mark === 'YIELDED' ? null : reservation.id
  const nonces =
    mark === null || reservation.nonce === null
      ? []
      : [
          {
            nonce: reservation.nonce,
            status: mark === 'YIELDED' ? 'RESERVED' : mark,
            txId: null,
            reservationId,
          } as const,
        ]
  return toWrite(lease, [], { reservations: [save], nonces, notes: [note], ...over })
}

async function find(store: Store, id: string): Promise<Reservation> {
  const [reservation] = await store.findReservations([id])
  if (reservation === null || reservation === undefined) throw new Error(`no reservation ${id}`)
  return reservation
}

async function lend(store: Store, lease: Lease, nonce: number): Promise<Reservation> {
  return await grant(store, lease, await askOne(store, lease.lane), nonce)
}

async function grant(store: Store, lease: Lease, asked: Reservation, nonce: number): Promise<Reservation> {
  const [result] = await store.writeLanes([toStepWrite(lease, asked, { type: 'reservation.granted', at: AT, nonce })])
  expect(result).toMatchObject({ type: 'written' })
  return await find(store, asked.id)
}

const lapsed = (latestCount: number, finalCount: number | null = null): ReservationEvent => ({
  type: 'reservation.lapsed',
  at: AT,
  latestCount,
  finalCount,
})

export function describeRequests(get: GetStore): void {
  describe('requests to the owner of a lane', () => {
    describeAsking(get)
    describeHolders(get)
    describeOrders(get)
    describeOwner(get)
    describeResets(get)
    describeLaneNotes(get)
  })
}

function describeAsking(get: GetStore): void {
  test('what is asked for waits for the owner, in order, and is told to it', async () => {
    const { store } = get()
    const lane = await registerLane(store)
    await acquire(store, lane, 'asked-node')
    expect(await store.lanesAsked('asked-node')).toEqual([])
    const outcome = await ask(store, lane, { count: 3 })
    if (outcome.type !== 'inserted') throw new Error('not inserted')
    expect(outcome.reservations).toMatchObject(
      [0, 1, 2].map(() => ({ lane, state: 'REQUESTED', nonce: null, label: 'worker', ttlMs: TTL_MS, hashes: [] })),
    )
    const { reservations, resets } = await store.readLaneRequests(lane)
    expect(reservations).toEqual(outcome.reservations.map((reservation) => ({ ...reservation, isExpired: false })))
    expect(resets).toEqual([])
    expect(await store.lanesAsked('asked-node')).toEqual([lane])
    expect(await store.lanesAsked('another-node')).toEqual([])
    expect(await store.findReservations([anyId(), 'nonsense'])).toEqual([null, null])
  })

  test('the same request id asks once, and a lane that is not registered never', async () => {
    const { store } = get()
    const lane = await registerLane(store)
    const first = await ask(store, lane, { requestId: 'r1', count: 2 })
    const again = await ask(store, lane, { requestId: 'r1', count: 2 })
    if (first.type !== 'inserted' || again.type !== 'existing') throw new Error(`${first.type}, ${again.type}`)
    expect(again.items).toEqual(first.reservations.map((reservation) => ({ reservation, lockOwner: OWNER })))
    expect(await ask(store, await registerLane(store), { requestId: 'r1' })).toMatchObject({ type: 'inserted' })
    expect(await ask(store, anyLane())).toEqual({ type: 'unknown_signer' })
  })

  test('of two at the same time under one request id one asks', async () => {
    const { store } = get()
    const lane = await registerLane(store)
    const outcomes = await Promise.all([1, 2, 3].map(() => ask(store, lane, { requestId: 'race' })))
    expect(outcomes.map(({ type }) => type).sort()).toEqual(['existing', 'existing', 'inserted'])
    expect((await store.readLaneRequests(lane)).reservations).toHaveLength(1)
  })
}

function describeHolders(get: GetStore): void {
  test('only the holder of the proof may use, extend or release it', async () => {
    const { store } = get()
    const lease = await acquire(store, await registerLane(store))
    const { id } = await lend(store, lease, 4)
    for (const act of [
      { type: 'use', hash: anyHash() },
      { type: 'extend', ttlMs: 1_000 },
      { type: 'release' },
    ] as const)
      expect(await store.actOnReservation(id, 'a guess', act)).toEqual({ type: 'not_owner' })
    expect(await store.actOnReservation(anyId(), OWNER, { type: 'release' })).toBeNull()
    expect(await find(store, id)).toMatchObject({ state: 'RESERVED', version: 2 })
  })

  test('a hash makes it used; the same again changes nothing, another one is added', async () => {
    const { store } = get()
    const lease = await acquire(store, await registerLane(store))
    const { id } = await lend(store, lease, 4)
    const [one, two] = [anyHash(), anyHash()]
    const used = await store.actOnReservation(id, OWNER, { type: 'use', hash: one })
    expect(used).toMatchObject({ type: 'done', reservation: { state: 'USED', hashes: [one], version: 3 } })
    expect(await store.actOnReservation(id, OWNER, { type: 'use', hash: one })).toEqual(used)
    await store.actOnReservation(id, OWNER, { type: 'use', hash: two })
    expect(await find(store, id)).toMatchObject({ hashes: [one, two], version: 4 })
    expect(await store.actOnReservation(id, OWNER, { type: 'release' })).toMatchObject({ type: 'refused' })
    expect(await store.actOnReservation(id, OWNER, { type: 'extend', ttlMs: 9 })).toMatchObject({ type: 'refused' })
  })

  test('after the lock has run out a late writer is refused, before anybody has noticed', async () => {
    const { store, elapse } = get()
    const lease = await acquire(store, await registerLane(store))
    const { id, lockedUntil } = await lend(store, lease, 4)
    await elapse(TTL_MS - 5_000)
    const extended = await store.actOnReservation(id, OWNER, { type: 'extend', ttlMs: TTL_MS })
    if (extended?.type !== 'done') throw new Error('not extended')
    expect(extended.reservation.lockedUntil).toBeGreaterThan(lockedUntil)
    await elapse(TTL_MS + 1)
    const hash = anyHash()
    expect(await store.actOnReservation(id, OWNER, { type: 'use', hash })).toMatchObject({ type: 'expired' })
    expect(await store.actOnReservation(id, OWNER, { type: 'extend', ttlMs: 9 })).toMatchObject({ type: 'expired' })
    expect(await find(store, id)).toMatchObject({ state: 'RESERVED', hashes: [] })
    expect((await store.readLaneRequests(lease.lane)).reservations).toMatchObject([{ id, isExpired: true }])
  })
}

function describeOrders(get: GetStore): void {
  const by = { actor: 'ann', reason: 'frozen' }
  const KEY = { id: 'k1', holder: 'till (k1)' }
  const yielded: ReservationEvent = { type: 'reservation.yielded', at: AT, latestCount: 0 }

  async function askAs(store: Store, lane: Lane, tenant: string, key = KEY) {
    const items = [{ id: anyId(), lockOwner: OWNER }]
    const outcome = await store.insertReservations({
      lane,
      items,
      ttlMs: TTL_MS,
      label: null,
      requestId: null,
      tenant,
      key,
    })
    if (outcome.type !== 'inserted' || outcome.reservations[0] === undefined) throw new Error(outcome.type)
    return outcome.reservations[0]
  }

  test('only reservations that match the whole filter are released, once, and the owner is notified', async () => {
    const { store } = get()
    const lane = await registerLane(store)
    await acquire(store, lane, 'ordered-node')
    const mine = await askAs(store, lane, 'shop')
    const other = await askAs(store, lane, 'bank', { id: 'k2', holder: 'bank (k2)' })
    const after = await lastEventId(store)
    const order = { type: 'release', cause: 'operator', by } as const
    expect(await store.orderReservations({ ...order, filter: { lane, tenant: 'bank', keyId: 'k1' } })).toEqual([])
    const released = await store.orderReservations({ ...order, filter: { lane, tenant: 'shop' } })
    expect(released).toEqual([{ ...mine, state: 'RELEASED', version: 2 }])
    expect(released[0]).toMatchObject({ tenant: 'shop', keyId: 'k1', holder: 'till (k1)' })
    expect(await store.orderReservations({ ...order, filter: { ids: [mine.id] } })).toEqual([])
    expect(await find(store, other.id)).toMatchObject({ state: 'REQUESTED' })
    expect(await store.readEvents(after, 10)).toMatchObject([
      {
        type: 'reservation.released',
        cause: 'operator',
        lane,
        detail: { reservationId: mine.id, tenant: 'shop', ...by },
      },
    ])
    expect(await store.orderReservations({ ...order, filter: { keyId: 'k2' } })).toHaveLength(1)
  })

  test('a request of a revoked key counts as expired; a nonce that the key holds is for its release', async () => {
    const { store, revokeKey } = get()
    const lane = await registerLane(store)
    const lease = await acquire(store, lane)
    const key = { id: anyHash().slice(2, 18), holder: 'till' }
    const held = await grant(store, lease, await askAs(store, lane, 'shop', key), 4)
    const asked = await askAs(store, lane, 'shop', key)
    const other = await askAs(store, lane, 'shop')
    const read = async () =>
      (await store.readLaneRequests(lane)).reservations.map(({ id, isExpired }) => [id, isExpired])
    const ids = [held.id, asked.id, other.id]
    expect(await read()).toEqual(ids.map((id) => [id, false]))
    await revokeKey(key.id)
    expect(await read()).toEqual(ids.map((id) => [id, id === asked.id]))
  })

  test('a used nonce is not released; on order it is yielded to a transaction of the lane, and to nobody else', async () => {
    const { store } = get()
    const lease = await acquire(store, await registerLane(store), 'filling-node')
    const { lane } = lease
    const reserved = await lend(store, lease, 0)
    await store.actOnReservation(reserved.id, OWNER, { type: 'use', hash: anyHash() })
    const filter = { lane, ids: [reserved.id] }
    expect(await store.orderReservations({ type: 'release', filter, cause: 'operator', by })).toEqual([])
    const [ordered] = await store.orderReservations({ type: 'fill', filter, cause: 'operator', by })
    expect(ordered).toMatchObject({ state: 'USED', fillOrderedAt: expect.any(Number), yieldedAt: null })
    expect(await store.orderReservations({ type: 'fill', filter, cause: 'operator', by })).toEqual([])
    expect(await store.lanesAsked(lease.nodeId)).toEqual([lane])
    if (ordered === undefined) throw new Error('not ordered')
    const tx = await acceptOne(store, lane)
    const fill = toAllocated(tx, 0, lease)
    const mark = { nonce: 0, status: 'RESERVED', txId: tx.id } as const
    const taking = toWrite(lease, [toSave(tx, fill)], { nonces: [mark] })
    expect(await store.writeLanes([taking])).toMatchObject([{ type: 'refused' }])
    expect(await store.writeLanes([toStepWrite(lease, ordered, yielded)])).toMatchObject([{ type: 'written' }])
    expect(await store.lanesAsked(lease.nodeId)).toEqual([])
    expect((await store.loadLane(lane)).recyclable).toEqual([])
    expect((await store.listLaneStatus({ lane }))[0]).toMatchObject({
      reserved: 1,
      lowestReserved: { isFilling: true },
    })
    expect(await store.writeLanes([taking])).toMatchObject([{ type: 'written' }])
    expect((await store.listLaneStatus({ lane }))[0]).toMatchObject({ reserved: 0, inFlight: 1 })
    // Its holder may go on telling; the nonce stays with the transaction that fills it.
    await store.actOnReservation(reserved.id, OWNER, { type: 'use', hash: anyHash() })
    const ended = moveReservation(await find(store, reserved.id), { type: 'nonce.lost', at: AT, nonce: 0 })
    expect(ended).toMatchObject({ mark: null, reservation: { state: 'USED', result: 'foreign' } })
  })

  test('an alarm is kept with it, and ends when its holder names another transaction', async () => {
    const { store } = get()
    const lease = await acquire(store, await registerLane(store))
    const reserved = await lend(store, lease, 3)
    await store.actOnReservation(reserved.id, OWNER, { type: 'use', hash: anyHash() })
    const alarmed: ReservationEvent = { type: 'reservation.alarmed', at: AT, cause: 'unknown_hash' }
    await store.writeLanes([toStepWrite(lease, await find(store, reserved.id), alarmed)])
    expect(await find(store, reserved.id)).toMatchObject({ alarm: { cause: 'unknown_hash', at: AT } })
    const hash = anyHash()
    const [status] = await store.listLaneStatus({ lane: lease.lane })
    expect(status).toMatchObject({ stuckReserved: 1, lowestReserved: { alarm: 'unknown_hash', isUsed: true } })
    await store.actOnReservation(reserved.id, OWNER, { type: 'use', hash })
    expect(await find(store, reserved.id)).toMatchObject({ alarm: null })
    expect((await store.listLaneStatus({ lane: lease.lane }))[0]?.lowestReserved).toMatchObject({ hash })
  })

  test('no more are open on a lane, or of a tenant, than may be', async () => {
    const { store } = get()
    const lane = await registerLane(store)
    const few = async (tenant: string, count: number) => {
      const items = Array.from({ length: count }, () => ({ id: anyId(), lockOwner: OWNER }))
      const most = { lane: 5, tenant: 3 }
      const request = { lane, items, ttlMs: TTL_MS, label: null, requestId: null, tenant, most }
      return (await store.insertReservations(request)).type
    }
    expect(await few('shop', 4)).toBe('too_many')
    expect(await few('shop', 3)).toBe('inserted')
    expect(await few('shop', 1)).toBe('too_many')
    expect([await few('bank', 3), await few('bank', 2)]).toEqual(['too_many', 'inserted'])
  })
}

function describeOwner(get: GetStore): void {
  test('a nonce is reserved under the fence, and its lock begins with the write', async () => {
    const { store } = get()
    const lease = await acquire(store, await registerLane(store))
    const asked = await askOne(store, lease.lane)
    const granted = { type: 'reservation.granted', at: AT, nonce: 7 } as const
    const good = toStepWrite(lease, asked, granted, { cursor: { expected: null, next: 8 } })
    const late = { ...good, lease: { ...lease, fence: lease.fence + 1 } }
    expect(await store.writeLanes([late])).toEqual([{ type: 'fenced' }])
    expect(await find(store, asked.id)).toEqual(asked)
    expect(await store.writeLanes([good])).toEqual([{ type: 'written', versions: [] }])
    expect(await store.writeLanes([good])).toMatchObject([{ type: 'stale' }])
    const reserved = await find(store, asked.id)
    expect(reserved).toMatchObject({ state: 'RESERVED', nonce: 7, version: 2, reservedAt: AT })
    expect(reserved.lockedUntil).toBeGreaterThanOrEqual(asked.lockedUntil)
    expect(await store.loadLane(lease.lane)).toEqual({
      cursor: 8,
      inFlight: [],
      recyclable: [],
      window: null,
      seen: { balance: null, txCost: null, problems: [] },
    })
    const [status] = await store.listLaneStatus({ lane: lease.lane })
    const lowest = { reservationId: asked.id, nonce: 7, lockedUntil: reserved.lockedUntil }
    expect(status).toMatchObject({ reserved: 1, free: 0, lowestReserved: lowest })
  })

  test('a reserved nonce is given to nobody else until it is released [G1]', async () => {
    const { store } = get()
    const lease = await acquire(store, await registerLane(store))
    const reserved = await lend(store, lease, 3)
    const queued = await acceptOne(store, lease.lane)
    const taking = toWrite(lease, [toSave(queued, toAllocated(queued, 3, lease), 'nonce.allocated')], {
      nonces: [{ nonce: 3, status: 'RESERVED', txId: queued.id }],
    })
    expect(await store.writeLanes([taking])).toMatchObject([{ type: 'refused' }])
    const rival = await askOne(store, lease.lane)
    const granted = { type: 'reservation.granted', at: AT, nonce: 3 } as const
    expect(await store.writeLanes([toStepWrite(lease, rival, granted)])).toMatchObject([{ type: 'refused' }])
    await store.actOnReservation(reserved.id, OWNER, { type: 'release' })
    const returned = await find(store, reserved.id)
    expect((await store.loadLane(lease.lane)).recyclable).toEqual([])
    expect(await store.writeLanes([toStepWrite(lease, returned, lapsed(3))])).toMatchObject([{ type: 'written' }])
    expect((await store.loadLane(lease.lane)).recyclable).toEqual([3])
    expect(await store.writeLanes([taking])).toMatchObject([{ type: 'written' }])
    expect(await find(store, reserved.id)).toMatchObject({ state: 'RELEASED', finalAt: AT })
  })

  test('a nonce that a transaction has is not reserved [G1]', async () => {
    const { store } = get()
    const lease = await acquire(store, await registerLane(store))
    await allocateOne(store, lease, 5)
    const asked = await askOne(store, lease.lane)
    const granted = { type: 'reservation.granted', at: AT, nonce: 5 } as const
    expect(await store.writeLanes([toStepWrite(lease, asked, granted)])).toMatchObject([{ type: 'refused' }])
  })

  test('of a use and an expiry on the same version one comes second', async () => {
    const { store } = get()
    const lease = await acquire(store, await registerLane(store))
    const reserved = await lend(store, lease, 3)
    const expiry = toStepWrite(lease, reserved, lapsed(3))
    expect(await store.actOnReservation(reserved.id, OWNER, { type: 'use', hash: anyHash() })).toMatchObject({
      type: 'done',
    })
    expect(await store.writeLanes([expiry])).toMatchObject([{ type: 'stale' }])
    expect((await store.loadLane(lease.lane)).recyclable).toEqual([])
    const other = await lend(store, lease, 4)
    const results = await Promise.all([
      store.actOnReservation(other.id, OWNER, { type: 'use', hash: anyHash() }),
      store.writeLanes([toStepWrite(lease, other, lapsed(4))]),
    ])
    const won = [results[0]?.type === 'done', results[1][0]?.type === 'written']
    expect(won.filter(Boolean)).toHaveLength(1)
  })

  test('a hash is followed to its end', async () => {
    const { store } = get()
    const lease = await acquire(store, await registerLane(store))
    const reserved = await lend(store, lease, 3)
    const hash = anyHash()
    await store.actOnReservation(reserved.id, OWNER, { type: 'use', hash })
    const inclusion = {
      txHash: hash,
      blockNumber: 9,
      blockHash: anyHash(),
      txIndex: 0,
      succeeded: true,
      gasUsed: 21_000n,
      effectiveGasPrice: 7n,
      contractAddress: null,
    }
    const seen = { type: 'inclusion.seen', at: AT + 1_000, inclusion } as const
    await store.writeLanes([toStepWrite(lease, await find(store, reserved.id), seen)])
    expect(await find(store, reserved.id)).toMatchObject({
      state: 'USED',
      inclusion,
      minedAt: AT + 1_000,
      finalAt: null,
    })
    const end = { type: 'finality.reached', at: AT + 2_000, blockHash: inclusion.blockHash } as const
    await store.writeLanes([toStepWrite(lease, await find(store, reserved.id), end)])
    expect(await find(store, reserved.id)).toMatchObject({ result: 'succeeded', finalAt: AT + 2_000, hashes: [hash] })
    expect((await store.readLaneRequests(lease.lane)).reservations).toEqual([])
    const [status] = await store.listLaneStatus({ lane: lease.lane })
    expect(status?.health).toMatchObject({ lastNonceMovementAt: AT + 1_000, lastConfirmationAt: AT + 2_000 })
    expect(status).toMatchObject({ reserved: 0, lowestReserved: null })
  })
}

function describeResets(get: GetStore): void {
  async function askReset(store: Store, lane: Lane) {
    const reset = { id: anyId(), lane, actor: 'ann', reason: 'the chain was wiped' }
    expect(await store.insertReset(reset)).toBe(true)
    return reset
  }

  test('a reset that cancels first is open until it is answered, and shows the results of its transactions', async () => {
    const { store } = get()
    const lane = await registerLane(store)
    const lease = await acquire(store, lane, 'cancelling-node')
    const reset = { id: anyId(), lane, actor: 'ann', reason: 'all is stuck', cancelsFirst: true }
    expect(await store.insertReset(reset)).toBe(true)
    expect(await store.findReset(reset.id)).toMatchObject({ ...reset, state: 'REQUESTED', txIds: null, progress: null })
    expect(await store.lanesAsked('cancelling-node')).toEqual([lane])
    const queued = [await acceptOne(store, lane), await acceptOne(store, lane)]
    const txIds = queued.map(({ id }) => id)
    const begun = { id: reset.id, state: 'CANCELLING', refusal: null, txIds } as const
    expect(await store.writeLanes([toWrite(lease, [], { reset: begun })])).toMatchObject([{ type: 'written' }])
    const open = { id: reset.id, state: 'CANCELLING', txIds, answeredAt: null }
    expect((await store.readLaneRequests(lane)).resets).toMatchObject([open])
    // Its owner knows it; nobody has to tell.
    expect(await store.lanesAsked('cancelling-node')).toEqual([])
    expect(await store.findReset(reset.id)).toMatchObject({
      progress: { total: 2, cancelled: 0, endedOtherwise: 0, left: 2 },
    })
    const [first] = queued
    if (first === undefined) throw new Error('not inserted')
    const { retryAt: _, prepareFailures: __, ...base } = first
    const ended = { ...base, state: 'CANCELLED', subState: 'cancelled', nonce: null, finalAt: Date.now() } as const
    const before = { version: first.version, state: first.state, attemptCount: 0 }
    await store.amend({ before, tx: ended, notes: [anyNote('operator.cancelled')] }, [])
    expect((await store.listResets(lane, 5))[0]).toMatchObject({ progress: { total: 2, cancelled: 1, left: 1 } })
    const done = { id: reset.id, state: 'DONE', refusal: null } as const
    const cursor = { expected: null, next: 7 }
    expect(await store.writeLanes([toWrite(lease, [], { cursor, reset: done })])).toMatchObject([{ type: 'written' }])
    expect(await store.findReset(reset.id)).toMatchObject({
      state: 'DONE',
      toNonce: 7,
      txIds,
      answeredAt: expect.any(Number),
    })
  })

  test('a reset moves the cursor back, once, and forgets what was above [G2]', async () => {
    const { store } = get()
    const lane = await registerLane(store)
    const lease = await acquire(store, lane, 'reset-node')
    const done = await allocateOne(store, lease, 6)
    await write(store, lease, [[done, toConfirmed(done)]], {
      cursor: { expected: null, next: 9 },
      nonces: [
        { nonce: 6, status: 'USED', txId: done.id },
        ...[2, 7, 8].map((nonce) => ({ nonce, status: 'RECYCLABLE', txId: null }) as const),
      ],
    })
    const asked = await askReset(store, lane)
    expect(await store.lanesAsked('reset-node')).toEqual([lane])
    expect((await store.readLaneRequests(lane)).resets).toMatchObject([{ ...asked, state: 'REQUESTED' }])
    const cursor = { expected: 9, next: 5 }
    const reset = { id: asked.id, state: 'DONE', refusal: null } as const
    expect(await store.writeLanes([toWrite(lease, [], { cursor, reset })])).toMatchObject([{ type: 'written' }])
    expect(await store.loadLane(lane)).toEqual({
      cursor: 5,
      inFlight: [],
      recyclable: [],
      window: null,
      seen: { balance: null, txCost: null, problems: [] },
    })
    expect(await store.findReset(asked.id)).toMatchObject({ state: 'DONE', fromNonce: 9, toNonce: 5 })
    expect(await store.listResets(lane, 5)).toMatchObject([{ id: asked.id, reason: 'the chain was wiped' }])
    // A nonce that was final before the reset is handed out again after it.
    await allocateOne(store, lease, 6)
    expect(await store.writeLanes([toWrite(lease, [], { cursor: { expected: 5, next: 4 } })])).toMatchObject([
      { type: 'refused' },
    ])
  })

  test('an answer to a reset that arrives again, after another reset, changes nothing [G2]', async () => {
    const { store } = get()
    const lease = await acquire(store, await registerLane(store))
    await store.writeLanes([toWrite(lease, [], { cursor: { expected: null, next: 7 } })])
    const [first, second] = [await askReset(store, lease.lane), await askReset(store, lease.lane)]
    const answer = (id: string, expected: number, next: number) =>
      toWrite(lease, [], {
        cursor: { expected, next },
        reset: { id, state: 'DONE', refusal: null },
        notes: [anyNote('cursor.reset')],
      })
    const back = answer(first.id, 7, 6)
    expect(await store.writeLanes([back])).toMatchObject([{ type: 'written' }])
    expect(await store.writeLanes([answer(second.id, 6, 7)])).toMatchObject([{ type: 'written' }])
    expect(await store.writeLanes([back])).toMatchObject([{ type: 'stale' }])
    expect((await store.loadLane(lease.lane)).cursor).toBe(7)
    expect(await store.findReset(first.id)).toMatchObject({ state: 'DONE', fromNonce: 7, toNonce: 6 })
  })

  test('the cursor does not move back while a live nonce is above it [G2]', async () => {
    const { store } = get()
    const lease = await acquire(store, await registerLane(store))
    await store.writeLanes([toWrite(lease, [], { cursor: { expected: null, next: 9 } })])
    const asked = await askReset(store, lease.lane)
    const reset = { id: asked.id, state: 'DONE', refusal: null } as const
    const back = toWrite(lease, [], { cursor: { expected: 9, next: 5 }, reset })
    const reserved = await lend(store, lease, 6)
    expect(await store.writeLanes([back])).toMatchObject([{ type: 'stale' }])
    await store.writeLanes([toStepWrite(lease, reserved, lapsed(6))])
    await allocateOne(store, lease, 8)
    expect(await store.writeLanes([back])).toMatchObject([{ type: 'stale' }])
    const refused = { id: asked.id, state: 'REFUSED', refusal: 'nonce 8 is alive' } as const
    await store.writeLanes([toWrite(lease, [], { reset: refused })])
    expect(await store.findReset(asked.id)).toMatchObject({ state: 'REFUSED', refusal: 'nonce 8 is alive' })
    expect((await store.loadLane(lease.lane)).cursor).toBe(9)
    expect((await store.readLaneRequests(lease.lane)).resets).toEqual([])
    expect(await store.insertReset({ ...asked, id: anyId(), lane: anyLane() })).toBe(false)
  })
}

function describeLaneNotes(get: GetStore): void {
  test('the stream tells what happens to a lane and to its signer', async () => {
    const { store } = get()
    const lease = await acquire(store, await registerLane(store))
    const before = await lastEventId(store)
    await store.writeLanes([toWrite(lease, [], { notes: [anyNote('balance.low'), anyNote('cursor.reset')] })])
    await store.updateSigner(lease.lane, { paused: true }, anyNote('signer.paused'))
    const { lane, nodeId, fence } = lease
    const entry = { txId: null, lane, cause: 'operator', detail: { actor: 'ann', reason: 'test' }, count: 1 }
    expect((await store.readEvents(before, 100)).filter((event) => event.lane.signer === lane.signer)).toMatchObject([
      { ...entry, type: 'balance.low', nodeId, fence },
      { ...entry, type: 'cursor.reset', nodeId, fence },
      { ...entry, type: 'signer.paused', nodeId: null, fence: null },
    ])
  })

  test('the balance that the owner saw is kept until it sees another', async () => {
    const { store } = get()
    const lease = await acquire(store, await registerLane(store))
    const look = async () => (await store.listLaneStatus({ lane: lease.lane }))[0]?.health
    expect(await look()).toEqual({
      lastConfirmationAt: null,
      lastNonceMovementAt: null,
      lastSignedAt: null,
      balance: null,
      counts: null,
      window: null,
      txCost: null,
      problems: [],
    })
    await store.writeLanes([toWrite(lease, [], { balance: { wei: 10n ** 20n, at: AT } })])
    await store.writeLanes([toWrite(lease, [], { notes: [anyNote()] })])
    expect((await look())?.balance).toEqual({ wei: 10n ** 20n, at: AT })
  })

  test('what the owner saw of the chain is kept until it looks again', async () => {
    const { store } = get()
    const lease = await acquire(store, await registerLane(store))
    const look = async () => (await store.listLaneStatus({ lane: lease.lane }))[0]?.health
    const counts = { latest: 7, pending: 9, at: AT, drift: -2 }
    await store.writeLanes([toWrite(lease, [], { counts })])
    await store.writeLanes([toWrite(lease, [], { balance: { wei: 1n, at: AT } })])
    expect(await look()).toMatchObject({ counts, balance: { wei: 1n, at: AT } })
    const next = { latest: 0, pending: 0, at: AT + 1, drift: 0 }
    await store.writeLanes([toWrite(lease, [], { counts: next })])
    expect((await look())?.counts).toEqual(next)
  })

  test('what a transaction costs and what is wrong with the lane are kept for the next owner, and listed', async () => {
    const { store } = get()
    const lease = await acquire(store, await registerLane(store))
    const { lane } = lease
    const troubled = async () =>
      (await store.listLaneStatus({ troubled: true })).filter((each) => each.signer.lane.signer === lane.signer)
    expect(await troubled()).toEqual([])
    const problem = {
      code: 'out_of_funds',
      since: AT,
      txId: null,
      nonce: 3,
      count: null,
      detail: 'it costs 2',
    } as const
    const txCost = { wei: 2n ** 200n, samples: 4 }
    const balance = { wei: 2n ** 201n, at: AT }
    await store.writeLanes([toWrite(lease, [], { balance, txCost, problems: [problem] })])
    await store.writeLanes([toWrite(lease, [], { notes: [anyNote()] })])
    expect((await store.loadLane(lane)).seen).toEqual({ balance, txCost, problems: [problem] })
    expect((await troubled()).map(({ health }) => health)).toMatchObject([{ balance, txCost, problems: [problem] }])
    const isKeyAway = async () => (await store.listSigners()).some((signer) => signer.isKeyAway === true)
    expect(await isKeyAway()).toBe(false)
    await store.writeLanes([toWrite(lease, [], { problems: [{ ...problem, code: 'key_unavailable' }] })])
    expect(await isKeyAway()).toBe(true)
    await store.writeLanes([toWrite(lease, [], { problems: [] })])
    expect(await isKeyAway()).toBe(false)
    expect((await store.loadLane(lane)).seen).toEqual({ balance, txCost, problems: [] })
    expect(await troubled()).toEqual([])
  })

  test('a lane with work and no live owner is listed as troubled', async () => {
    const { store, elapse } = get()
    const lane = await registerLane(store)
    await acquire(store, lane, 'a', 60_000)
    const isTroubled = async () =>
      (await store.listLaneStatus({ troubled: true })).some(({ signer }) => signer.lane.signer === lane.signer)
    await acceptOne(store, lane)
    expect(await isTroubled()).toBe(false)
    await elapse(60_001)
    expect(await isTroubled()).toBe(true)
  })

  test('the window that an owner found is kept for the next one', async () => {
    const { store } = get()
    const lease = await acquire(store, await registerLane(store))
    const window = narrowWindow(openWindow(windowLimits('auto'), AT), { kept: 3, reason: 'dropped' }, AT)
    await store.writeLanes([toWrite(lease, [], { window })])
    await store.writeLanes([toWrite(lease, [], { notes: [anyNote()] })])
    expect((await store.listLaneStatus({ lane: lease.lane }))[0]?.health.window).toEqual(window)
    expect((await store.loadLane(lease.lane)).window).toEqual(window)
    await store.writeLanes([toWrite(lease, [], { window: { ...window, size: 4 } })])
    expect((await store.loadLane(lease.lane)).window).toEqual({ ...window, size: 4 })
  })
}
