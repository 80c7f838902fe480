import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Inclusion } from '../chain/finality.ts'
import { decideReset } from './nonce-reset.ts'
import { moveReservation, type Reservation, type ReservationEvent } from './reservation.ts'

const HASH = `0x${'aa'.repeat(32)}` as const
const BLOCK = `0x${'bb'.repeat(32)}` as const

const requested: Reservation = {
  id: 'r-1',
  lane: { chainId: 1, signer: '0x01' },
  state: 'REQUESTED',
  version: 1,
  requestId: null,
  label: null,
  ttlMs: 1_000,
  nonce: null,
  lockedUntil: 1_000,
  hashes: [],
  inclusion: null,
  result: null,
  createdAt: 0,
  tenant: '',
  keyId: null,
  holder: null,
  alarm: null,
  fillOrderedAt: null,
  yieldedAt: null,
  reservedAt: null,
  usedAt: null,
  minedAt: null,
  finalAt: null,
}
const reserved: Reservation = { ...requested, state: 'RESERVED', nonce: 7, reservedAt: 10, version: 2 }
const used: Reservation = { ...reserved, state: 'USED', hashes: [HASH], usedAt: 20, version: 3 }

function inclusion(over: Partial<Inclusion> = {}): Inclusion {
  return {
    txHash: HASH,
    blockNumber: 5,
    blockHash: BLOCK,
    txIndex: 0,
    succeeded: true,
    gasUsed: 1n,
    effectiveGasPrice: 1n,
    contractAddress: null,
    ...over,
  }
}

const lapsed = (latestCount: number, finalCount: number | null): ReservationEvent => ({
  type: 'reservation.lapsed',
  at: 99,
  latestCount,
  finalCount,
})

describe('a nonce whose lock ran out', () => {
  test.each([
    ['the chain has not come to it', 7, 7, { state: 'EXPIRED', finalAt: 99 }, 'RECYCLABLE'],
    ['the chain has used it for good', 8, 8, { state: 'USED', result: 'foreign', finalAt: 99 }, 'USED'],
  ] as const)('%s', (_name, latest, final, expected, mark) => {
    expect(moveReservation(reserved, lapsed(latest, final))).toMatchObject({ reservation: expected, mark })
  })

  test.each([[7], [null]])(
    'used in a block that may still leave the chain, it is neither free nor used (%s)',
    (final) => {
      expect(moveReservation(reserved, lapsed(8, final))).toBeNull()
    },
  )

  test('released by its holder it ends as RELEASED, or as used if it was used', () => {
    const released: Reservation = { ...reserved, state: 'RELEASED' }
    expect(moveReservation(released, lapsed(7, 7))).toMatchObject({
      reservation: { state: 'RELEASED' },
      mark: 'RECYCLABLE',
    })
    expect(moveReservation(released, lapsed(8, 8))).toMatchObject({ reservation: { state: 'USED' }, mark: 'USED' })
  })

  test('a request without a nonce frees nothing', () => {
    expect(moveReservation(requested, lapsed(0, null))).toMatchObject({
      reservation: { state: 'EXPIRED', nonce: null },
      mark: null,
    })
  })
})

describe('a named hash', () => {
  test('is included, withdrawn, included elsewhere and final', () => {
    const seen = moveReservation(used, { type: 'inclusion.seen', at: 30, inclusion: inclusion() })?.reservation ?? used
    expect(seen).toMatchObject({ inclusion: { blockHash: BLOCK }, minedAt: 30 })
    const gone = moveReservation(seen, { type: 'inclusion.reorged', at: 31, blockHash: BLOCK })?.reservation ?? seen
    expect(gone).toMatchObject({ state: 'USED', inclusion: null, minedAt: null })
    const reverted = inclusion({ blockHash: HASH, succeeded: false })
    const again = moveReservation(gone, { type: 'inclusion.seen', at: 32, inclusion: reverted })?.reservation ?? gone
    expect(moveReservation(again, { type: 'finality.reached', at: 40, blockHash: BLOCK })).toBeNull()
    expect(moveReservation(again, { type: 'finality.reached', at: 40, blockHash: HASH })).toMatchObject({
      reservation: { result: 'reverted', finalAt: 40 },
      mark: 'USED',
    })
  })

  test('that the holder did not name counts for nothing', () => {
    const other = inclusion({ txHash: BLOCK })
    expect(moveReservation(used, { type: 'inclusion.seen', at: 30, inclusion: other })).toBeNull()
    expect(moveReservation(reserved, { type: 'inclusion.seen', at: 30, inclusion: inclusion() })).toBeNull()
  })

  test('loses its nonce to a foreign transaction', () => {
    expect(moveReservation(used, { type: 'nonce.lost', at: 50, nonce: 7 })).toMatchObject({
      reservation: { result: 'foreign', finalAt: 50 },
      mark: 'USED',
    })
    expect(moveReservation(used, { type: 'nonce.lost', at: 50, nonce: 8 })).toBeNull()
  })
})

describe('a nonce that an operator takes back', () => {
  const ordered: Reservation = { ...used, fillOrderedAt: 30 }
  const yielded: Reservation = { ...ordered, yieldedAt: 31 }
  const giveUp = (latestCount: number): ReservationEvent => ({ type: 'reservation.yielded', at: 31, latestCount })

  test('is given up once, and only while the chain has not used it', () => {
    expect(moveReservation(ordered, giveUp(7))).toMatchObject({ reservation: { yieldedAt: 31 }, mark: 'YIELDED' })
    expect(moveReservation(ordered, giveUp(8))).toBeNull()
    expect(moveReservation(used, giveUp(7))).toBeNull()
    expect(moveReservation(yielded, giveUp(7))).toBeNull()
  })

  test('is never free again, and still ends with what is mined under it', () => {
    expect(moveReservation(yielded, lapsed(7, 7))).toBeNull()
    expect(moveReservation(yielded, lapsed(8, 8))).toMatchObject({ reservation: { result: 'foreign' }, mark: null })
    const seen = moveReservation(yielded, { type: 'inclusion.seen', at: 40, inclusion: inclusion() })
    const final = seen && moveReservation(seen.reservation, { type: 'finality.reached', at: 41, blockHash: BLOCK })
    expect(final).toMatchObject({ reservation: { result: 'succeeded' }, mark: null })
    expect(seen && moveReservation(seen.reservation, lapsed(8, 8))).toBeNull()
  })
})

test('an alarm is raised once, and ends with an inclusion', () => {
  const alarm: ReservationEvent = { type: 'reservation.alarmed', at: 50, cause: 'unknown_hash' }
  const raised = moveReservation({ ...used, holder: 'till (ab12)' }, alarm)
  expect(raised).toMatchObject({
    mark: null,
    reservation: { alarm: { cause: 'unknown_hash', at: 50 } },
    note: { type: 'reservation.stuck', cause: 'unknown_hash', detail: { nonce: 7, hash: HASH, holder: 'till (ab12)' } },
  })
  if (raised === null) throw new Error('not raised')
  expect(moveReservation(raised.reservation, alarm)).toBeNull()
  expect(moveReservation(requested, alarm)).toBeNull()
  const seen = moveReservation(raised.reservation, { type: 'inclusion.seen', at: 60, inclusion: inclusion() })
  expect(seen?.reservation.alarm).toBeNull()
})

test('no sequence of events frees a nonce that was used, moves a final one, or hands out another', () => {
  const hash = fc.constantFrom(HASH, BLOCK)
  const at = fc.nat({ max: 1_000 })
  const anyEvent: fc.Arbitrary<ReservationEvent> = fc.oneof(
    fc.record({ type: fc.constant('reservation.granted' as const), at, nonce: fc.nat({ max: 9 }) }),
    fc.record({
      type: fc.constant('reservation.lapsed' as const),
      at,
      latestCount: fc.nat({ max: 9 }),
      finalCount: fc.option(fc.nat({ max: 9 })),
    }),
    fc.record({
      type: fc.constant('inclusion.seen' as const),
      at,
      inclusion: fc.tuple(hash, hash).map(([txHash, blockHash]) => inclusion({ txHash, blockHash })),
    }),
    fc.record({ type: fc.constant('inclusion.reorged' as const), at, blockHash: hash }),
    fc.record({ type: fc.constant('finality.reached' as const), at, blockHash: hash }),
    fc.record({ type: fc.constant('nonce.lost' as const), at, nonce: fc.nat({ max: 9 }) }),
    fc.record({ type: fc.constant('reservation.yielded' as const), at, latestCount: fc.nat({ max: 9 }) }),
    fc.record({
      type: fc.constant('reservation.alarmed' as const),
      at,
      cause: fc.constantFrom('unknown_hash' as const, 'not_used' as const),
    }),
  )
  const ordered = [reserved, used].map((each) => ({ ...each, fillOrderedAt: 5 }))
  fc.assert(
    fc.property(fc.constantFrom(requested, reserved, used, ...ordered), fc.array(anyEvent), (start, events) => {
      let reservation = start
      for (const event of events) {
        const step = moveReservation(reservation, event)
        if (step === null) continue
        expect(reservation.finalAt).toBeNull()
        if (reservation.nonce !== null) expect(step.reservation.nonce).toBe(reservation.nonce)
        if (step.mark === 'RECYCLABLE') {
          expect(reservation.state).not.toBe('USED')
          expect(reservation.yieldedAt).toBeNull()
        }
        // What was yielded belongs to the transaction that fills it.
        if (reservation.yieldedAt !== null) expect(step.mark).toBeNull()
        if (step.mark !== 'RESERVED' && step.mark !== 'YIELDED' && step.mark !== null)
          expect(step.reservation.finalAt).not.toBeNull()
        reservation = step.reservation
      }
    }),
  )
})

describe('a reset', () => {
  const tx = { id: 'tx-1', state: 'TRACKING' } as const

  test('is done if nothing in use is at or above the count', () => {
    const live = { inFlight: [{ ...tx, nonce: 4 }], reservations: [{ ...reserved, finalAt: 1 }, requested] }
    expect(decideReset(5, live)).toEqual({ type: 'done', next: 5 })
  })

  test('names what is in its way, lowest first, and not more than five', () => {
    const inFlight = [9, 8, 6, 10, 11].map((nonce) => ({ ...tx, nonce }))
    const verdict = decideReset(5, { inFlight, reservations: [reserved] })
    if (verdict.type !== 'refused') throw new Error('not refused')
    expect(verdict.why).toMatch(
      /next nonce on chain is 5.* nonce 6 of transaction tx-1 \(TRACKING\), nonce 7 of reservation r-1 .*1 more/,
    )
  })
})
