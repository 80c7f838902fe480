import { describe, expect, test } from 'vitest'
import type { InFlight } from '../../core/transaction/transaction.ts'
import { toQueued } from '../../store/rules/queued-transaction.ts'
import { anyIntent, anyLane, toAllocated, toStuck, toTracking } from '../../testing/store/samples.ts'
import type { ReservedNonce } from '../reservations/open-reservation.ts'
import { countSlots, findHighest, findLowestReserved, findLowestSent, hasGap, isBlocked } from './lane-room.ts'
import { createLedger } from './ledger.ts'

const LANE = anyLane()
const LEASE = { nodeId: 'node-a', fence: 1 }

function allocated(nonce: number) {
  return toAllocated(toQueued({ id: `tx-${nonce}`, intent: anyIntent(LANE) }, 1), nonce, LEASE)
}

const unmined = (nonce: number): InFlight => toTracking(allocated(nonce))
const lost = (nonce: number): InFlight => ({ ...toStuck(allocated(nonce)), subState: 'foreign_nonce' })

function reserved(nonce: number, over: Partial<ReservedNonce> = {}): ReservedNonce {
  return { nonce, isUsed: false, usedAt: null, reservedAt: 1_000, isMined: false, isYielded: false, ...over }
}

describe('room for further nonces', () => {
  const outstanding = { unmined: [unmined(3)], count: 2, reserved: [reserved(4), reserved(1, { isMined: true })] }

  test('held until a block has it: what is mined takes none', () => {
    expect(countSlots(outstanding, 10, { slotHeldUntil: 'mined', maxUnfinal: 100 })).toBe(8)
  })

  test('held until final: everything takes one', () => {
    expect(countSlots(outstanding, 10, { slotHeldUntil: 'final', maxUnfinal: 100 })).toBe(6)
  })

  test('what is mined and not final is bounded on its own', () => {
    expect(countSlots(outstanding, 10, { slotHeldUntil: 'mined', maxUnfinal: 5 })).toBe(3)
  })
})

describe('the highest nonce in flight', () => {
  test('in whatever order they come, the lane’s own and those that holders have used', () => {
    expect(findHighest({ unmined: [unmined(7), unmined(4)], reserved: [] })).toBe(7)
    expect(findHighest({ unmined: [unmined(4), unmined(7)], reserved: [] })).toBe(7)
    expect(findHighest({ unmined: [unmined(4)], reserved: [reserved(9, { isUsed: true })] })).toBe(9)
    expect(findHighest({ unmined: [unmined(11)], reserved: [reserved(9, { isUsed: true })] })).toBe(11)
  })

  test('not what has lost its nonce or was only reserved', () => {
    expect(findHighest({ unmined: [lost(9)], reserved: [reserved(10)] })).toBe(null)
    expect(findHighest({ unmined: [], reserved: [reserved(10, { isUsed: true, isMined: true })] })).toBe(null)
  })
})

describe('the lowest reserved nonce', () => {
  test('that is not mined', () => {
    const all = [reserved(5), reserved(3, { isMined: true }), reserved(4)]
    expect(findLowestReserved(all)).toBe(4)
    expect(findLowestReserved([])).toBe(null)
  })
})

test('the lowest that waits for a block: of the lane or of a holder, since it was sent', () => {
  const sentAt = allocated(6).attempts[0]?.createdAt
  const used = (nonce: number) => reserved(nonce, { isUsed: true, usedAt: 77 })
  expect(findLowestSent({ unmined: [lost(5), unmined(6), unmined(7)], reserved: [used(8)] })).toEqual({
    nonce: 6,
    since: sentAt,
  })
  expect(findLowestSent({ unmined: [unmined(6)], reserved: [used(5)] })).toEqual({ nonce: 5, since: 77 })
  expect(findLowestSent({ unmined: [unmined(6)], reserved: [reserved(5)] })?.nonce).toBe(6)
  expect(findLowestSent({ unmined: [], reserved: [{ ...used(5), isMined: true }] })).toBe(null)
})

test('a nonce is blocked by a free or a reserved one below it, not by itself or by one above', () => {
  const ledger = (recyclable: readonly number[], ...inFlight: readonly InFlight[]) =>
    createLedger({ cursor: null, inFlight, recyclable })
  expect(isBlocked(5, ledger([4]), [])).toBe(true)
  expect(isBlocked(5, ledger([5, 6]), [])).toBe(false)
  expect(isBlocked(5, ledger([]), [reserved(4)])).toBe(true)
  expect(isBlocked(5, ledger([]), [reserved(5), reserved(6)])).toBe(false)
  expect(isBlocked(5, ledger([]), [reserved(4, { isMined: true })])).toBe(false)
  expect(hasGap(ledger([4], unmined(6)), [])).toBe(true)
  expect(hasGap(ledger([7], unmined(6)), [])).toBe(false)
  expect(hasGap(ledger([], unmined(6)), [])).toBe(false)
})
