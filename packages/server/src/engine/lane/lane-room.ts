/** How much room a lane has for further nonces, and which outstanding nonces block others. */

import type { Policy } from '../../core/lane/policy.ts'
import { awaitsBlock } from '../../core/transaction/lose-nonce.ts'
import { type InFlight, inclusionOf, isPreconfirmed, newestAttempt } from '../../core/transaction/transaction.ts'
import { findGaps } from '../gaps/free-nonces.ts'
import type { GapScene } from '../gaps/gap-watch.ts'
import type { ReservedNonce } from '../reservations/open-reservation.ts'
import type { Ledger } from './lane-draft.ts'

/** What is outstanding: transactions of the lane, and nonces that callers hold and sign for themselves. */
export interface Outstanding {
  readonly inFlight: Iterable<InFlight>
  readonly reserved: readonly ReservedNonce[]
}

/** How many more may take a nonce. A transaction shown in a block being built counts as mined. */
export function countSlots({ inFlight, reserved }: Outstanding, window: number, policy: SlotPolicy): number {
  let [out, unmined] = [reserved.length, reserved.filter(isUnmined).length]
  for (const tx of inFlight) {
    out++
    if (inclusionOf(tx) === null && !isPreconfirmed(tx)) unmined++
  }
  const held = policy.slotHeldUntil === 'final' ? out : unmined
  return Math.min(window - held, policy.maxUnfinal - (out - unmined))
}

type SlotPolicy = Pick<Policy, 'slotHeldUntil' | 'maxUnfinal'>

/** The highest nonce in flight. An unused reserved nonce may come back, so it is no reason yet to fill below it. */
export function findHighest({ inFlight, reserved }: Outstanding): number | null {
  let highest: number | null = null
  for (const tx of inFlight) if (awaitsBlock(tx)) highest = Math.max(highest ?? tx.nonce, tx.nonce)
  for (const { nonce, isUsed, isMined } of reserved) {
    if (isUsed && !isMined) highest = Math.max(highest ?? nonce, nonce)
  }
  return highest
}

/** The lowest reserved nonce that is not mined yet: those above wait for it. */
export function findLowestReserved(reserved: readonly ReservedNonce[]): number | null {
  let lowest: number | null = null
  for (const each of reserved)
    if (isUnmined(each) && each.nonce < (lowest ?? Number.POSITIVE_INFINITY)) lowest = each.nonce
  return lowest
}

/** The lowest reserved nonce that is not mined yet, if it was reserved before this time. */
export function findOverdueReservation(
  reserved: readonly ReservedNonce[],
  before: number,
): { readonly nonce: number; readonly since: number } | null {
  const lowest = findLowestReserved(reserved)
  const reservation = reserved.find(({ nonce }) => nonce === lowest)
  if (reservation === undefined || reservation.reservedAt === null || reservation.reservedAt > before) return null
  return { nonce: reservation.nonce, since: reservation.reservedAt }
}

/** When the lowest of them will be overdue; null if it is already, or if there is none. */
export function nextReservationAlarm(reserved: readonly ReservedNonce[], now: number, afterMs: number): number | null {
  const lowest = findLowestReserved(reserved)
  const reservedAt = reserved.find(({ nonce }) => nonce === lowest)?.reservedAt ?? null
  return reservedAt === null || reservedAt + afterMs <= now ? null : reservedAt + afterMs
}

/** The lowest that waits for a block, the lane's own or a holder's, and since when. Those in flight come in order. */
export function findLowestSent({ inFlight, reserved }: Outstanding): GapScene['lowest'] {
  let lowest: GapScene['lowest'] = null
  for (const tx of inFlight) {
    const newest = awaitsBlock(tx) ? newestAttempt(tx) : null
    if (newest === null) continue
    lowest = { nonce: tx.nonce, since: newest.createdAt }
    break
  }
  for (const { nonce, usedAt, isMined } of reserved) {
    if (usedAt !== null && !isMined && (lowest === null || nonce < lowest.nonce)) lowest = { nonce, since: usedAt }
  }
  return lowest
}

export function hasGap({ inFlight, recyclable }: Ledger, reserved: readonly ReservedNonce[]): boolean {
  return (
    recyclable.length > 0 &&
    findGaps(recyclable, null, findHighest({ inFlight: inFlight.values(), reserved })).length > 0
  )
}

/** A nonce below is missing, so this one cannot be mined. */
export function isBlocked(nonce: number, { recyclable }: Ledger, reserved: readonly ReservedNonce[]): boolean {
  return recyclable.some((free) => free < nonce) || reserved.some((each) => isUnmined(each) && each.nonce < nonce)
}

function isUnmined({ isMined }: ReservedNonce): boolean {
  return !isMined
}
