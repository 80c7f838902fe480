/** The end of reservations, and of events that belong to no transaction. */
import { describe, expect, test } from 'vitest'
import type { Lane, Lease } from '../../../core/lane/lane.ts'
import { moveReservation, type Reservation } from '../../../core/lane/reservation.ts'
import type { Store } from '../../../ports/store.ts'
import { acceptOne, acquire, anyId, anyNote, registerLane, toWrite } from '../samples.ts'
import type { GetStore } from './store.suite.ts'

const LIMIT = 50
const TEN_YEARS = 3_650 * 86_400_000

async function ask(store: Store, lane: Lane, requestId: string | null, count = 1): Promise<readonly Reservation[]> {
  const items = Array.from({ length: count }, () => ({ id: anyId(), lockOwner: 'digest-of-the-proof' }))
  const outcome = await store.insertReservations({ lane, items, ttlMs: 1_000, label: null, requestId })
  if (outcome.type !== 'inserted') throw new Error(`expected an insert, got ${outcome.type}`)
  return outcome.reservations
}

/** Nobody granted it in time. */
async function end(store: Store, lease: Lease, before: Reservation): Promise<void> {
  const step = moveReservation(before, {
    type: 'reservation.lapsed',
    at: before.createdAt,
    latestCount: 0,
    finalCount: 0,
  })
  if (step === null) throw new Error('it did not lapse')
  const { reservation, note } = step
  const reservations = [{ before, reservation, locks: false }]
  expect(await store.writeLanes([toWrite(lease, [], { reservations, notes: [note] })])).toMatchObject([
    { type: 'written' },
  ])
}

/** Others of the suite may have finished reservations too. */
async function deleteAll(store: Store, finalForMs = 0): Promise<void> {
  for (let count: number | null = LIMIT; count !== null && count >= LIMIT; )
    count = await store.deleteReservations(finalForMs, LIMIT)
}

export function describeLaneRetention(get: GetStore): void {
  describe('retention of reservations and events', () => {
    test('a reservation that ended is deleted once it is old, and an open one stays', async () => {
      const { store, elapse } = get()
      const lane = await registerLane(store)
      const lease = await acquire(store, lane)
      const [[ended], [open]] = [await ask(store, lane, 'ended'), await ask(store, lane, null)]
      if (ended === undefined || open === undefined) throw new Error('nothing was asked for')
      await end(store, lease, ended)
      await elapse(60_000)
      await deleteAll(store, TEN_YEARS)
      expect(await store.findReservations([ended.id])).toMatchObject([{ state: 'EXPIRED' }])
      await deleteAll(store)
      expect(await store.findReservations([ended.id, open.id])).toMatchObject([null, { state: 'REQUESTED' }])
      // Its request id is free again.
      expect(await ask(store, lane, 'ended')).toHaveLength(1)
    })

    test('reservations of one request go together', async () => {
      const { store, elapse } = get()
      const lane = await registerLane(store)
      const lease = await acquire(store, lane)
      const [first, second] = await ask(store, lane, 'pair', 2)
      if (first === undefined || second === undefined) throw new Error('nothing was asked for')
      await end(store, lease, first)
      await elapse(60_000)
      await deleteAll(store)
      const ids = [first.id, second.id]
      expect(await store.findReservations(ids)).toMatchObject([{ state: 'EXPIRED' }, { state: 'REQUESTED' }])
      await end(store, await acquire(store, lane), second)
      await elapse(60_000)
      await store.deleteReservations(0, 1)
      await deleteAll(store)
      expect(await store.findReservations(ids)).toEqual([null, null])
    })

    test('old events of signers are deleted, and those of transactions stay with them', async () => {
      const { store, elapse } = get()
      const lane = await registerLane(store)
      const queued = await acceptOne(store, lane)
      const lease = await acquire(store, lane)
      await store.writeLanes([toWrite(lease, [], { notes: [anyNote('lane.tested')] })])
      const readOwn = async () =>
        (await store.readEvents(0, 100_000)).filter((event) => event.lane.signer === lane.signer)
      await elapse(60_000)
      await store.deleteLaneEvents(TEN_YEARS, LIMIT)
      expect((await readOwn()).some(({ txId }) => txId === null)).toBe(true)
      while (((await store.deleteLaneEvents(0, LIMIT)) ?? 0) >= LIMIT);
      const left = await readOwn()
      expect(left.filter(({ txId }) => txId === null)).toEqual([])
      expect(left.some(({ txId }) => txId === queued.id)).toBe(true)
    })
  })
}
