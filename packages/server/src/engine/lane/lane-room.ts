/** How much room a lane has for further nonces, and which outstanding nonces block others. */

import type { Policy } from '../../core/lane/policy.ts'
import { awaitsBlock } from '../../core/transaction/lose-nonce.ts'
import { type InFlight, isPreconfirmed, newestAttempt } from '../../core/transaction/transaction.ts'
import { findGaps } from '../gaps/free-nonces.ts'
import type { GapScene } from '../gaps/gap-watch.ts'
import type { ReservedNonce } from '../reservations/open-reservation.ts'
import type { Ledger } from './ledger.ts'

/** What is outstanding: transactions of the lane that are in no block, and nonces that callers hold and sign for themselves. */
export interface Outstanding {
  /** In nonce order. */
  readonly unmined: Iterable<InFlight>
  readonly reserved: readonly ReservedNonce[]
}

/** Transactions of a lane that have a nonce. */
export interface Sent {
  readonly unmined: Iterable<InFlight>
  /** How many there are, the mined ones included. */
  readonly count: number
}

/** How many more may take a nonce. A transaction shown in a block being built counts as mined. */
export function countSlots(
  sent: Sent & { readonly reserved: readonly ReservedNonce[] },
  window: number,
  policy: SlotPolicy,
): number {
  const out = sent.count + sent.reserved.length
  let unmined = sent.reserved.filter(isUnmined).length
  for (const tx of sent.unmined) if (!isPreconfirmed(tx)) unmined++
  const held = policy.slotHeldUntil === 'final' ? out : unmined
  return Math.min(window - held, policy.maxUnfinal - (out - unmined))
}

type SlotPolicy = Pick<Policy, 'slotHeldUntil' | 'maxUnfinal'>

/** The highest nonce in flight. An unused reserved nonce may come back, so it is no reason yet to fill below it. */
export function findHighest({ unmined, reserved }: Outstanding): number | null {
  let highest: number | null = null
  for (const tx of unmined) if (awaitsBlock(tx)) highest = Math.max(highest ?? tx.nonce, tx.nonce)
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

/** The lowest that waits for a block, the lane's own or a holder's, and since when. */
export function findLowestSent({ unmined, reserved }: Outstanding): GapScene['lowest'] {
  let lowest: GapScene['lowest'] = null
  for (const tx of unmined) {
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

export function hasGap({ unmined, recyclable }: Ledger, reserved: readonly ReservedNonce[]): boolean {
  return (
    recyclable.length > 0 && findGaps(recyclable, null, findHighest({ unmined: unmined.values(), reserved })).length > 0
  )
}

/** A nonce below is missing, so this one cannot be mined. */
export function isBlocked(
  nonce: number,
  { recyclable }: Pick<Ledger, 'recyclable'>,
  reserved: readonly ReservedNonce[],
): boolean {
  return recyclable.some((free) => free < nonce) || reserved.some((each) => isUnmined(each) && each.nonce < nonce)
}

function isUnmined({ isMined }: ReservedNonce): boolean {
  return !isMined
}
