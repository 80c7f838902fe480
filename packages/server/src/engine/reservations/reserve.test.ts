import { expect, test } from 'vitest'
import { STABLE } from '../../core/lane/policy.ts'
import { moveReservation, type Reservation } from '../../core/lane/reservation.ts'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { createMemoryStore } from '../../testing/store/memory-store.ts'
import { createReservations } from './reserve.ts'

const LANE = { chainId: 31_337, signer: `0x${'12'.repeat(20)}` } as const
const ID = '01890a5d-0000-7000-8000-000000000001'
const TTL_MS = 60_000

/** The answer to a request that expired without a nonce. */
async function tellAfter(ms: number) {
  const clock = createManualClock()
  const store = createMemoryStore({ clock })
  await store.registerSigners([{ lane: LANE, policy: STABLE, label: null }])
  const items = [{ id: ID, lockOwner: 'x' }]
  const asked = { lane: LANE, items, ttlMs: TTL_MS, label: null, requestId: null }
  const outcome = await store.insertReservations({ ...asked, key: { id: 'k', holder: 'k' } })
  const [reservation] = outcome.type === 'inserted' ? outcome.reservations : []
  await clock.advance(ms)
  const lapsed = { type: 'reservation.lapsed', at: clock.now(), latestCount: 0, finalCount: 0 } as const
  const ended = moveReservation(reservation as Reservation, lapsed)?.reservation ?? expect.unreachable()
  expect(ended).toMatchObject({ state: 'EXPIRED', nonce: null })
  const reservations = createReservations({
    store: { ...store, actOnReservation: async () => ({ type: 'expired', reservation: ended }) },
    chains: new Map(),
    clock,
    random: { id: () => ID },
  })
  const told = await reservations.act(ID, 'me', { type: 'release' }).catch((error: unknown) => error)
  reservations.close()
  return { told, lockedUntil: new Date(ended.lockedUntil).toISOString() }
}

test('a request that its holder let pass expired at its time', async () => {
  const { told, lockedUntil } = await tellAfter(TTL_MS + 50)
  const message = `The request expired at ${lockedUntil} without a nonce. Reserve again.`
  expect(told).toMatchObject({ code: 'reservation_expired', message })
})

test('a request of a revoked key ended before its time, so no time is named', async () => {
  const { told } = await tellAfter(1_000)
  const message = 'The request expired without a nonce. Reserve again.'
  expect(told).toMatchObject({ code: 'reservation_expired', message })
})
