/** Explains who holds a reserved nonce that others wait for, until when, and what frees it. */

import type { LowestReserved } from '../lane/reservation.ts'
import type { ExplainContext, Finding } from './explanation.ts'
import { spellDuration, spellTime } from './spell-time.ts'

/** As a part of a sentence: "nonce 5, which is …". */
export function spellReservation(
  { reservationId, tenant, holder, hash, ...reserved }: LowestReserved,
  now: number,
): string {
  const who = reservationId === null ? 'another tenant' : (holder ?? (tenant || 'a caller'))
  const of = holder !== null && tenant ? ` of tenant ${tenant}` : ''
  const name = reservationId === null ? '' : ` (reservation ${reservationId})`
  if (reserved.isFilling) return `taken back from ${who}${of}${name}; an empty transaction is taking its place`
  if (!reserved.isUsed && reserved.lockedUntil <= now)
    return `reserved by ${who}${of}${name} and not used; its time ran out at ${spellTime(reserved.lockedUntil)}`
  if (!reserved.isUsed)
    return `reserved by ${who}${of} until ${spellTime(reserved.lockedUntil)}${name} and not used yet`
  const sent = hash === null ? 'a transaction' : hash
  const alarm = reserved.alarm === 'unknown_hash' ? '. No RPC node knows that transaction' : ''
  return `reserved by ${who}${of}${name}, who reports that ${sent} was sent with it${alarm}`
}

/** What happens next, and what an operator can do about it now. */
export function freeReservation(
  { isUsed, isFilling, nonce, lockedUntil, alarm }: LowestReserved,
  { policy, now }: Pick<ExplainContext, 'policy' | 'now'>,
): Pick<Finding, 'nextAction' | 'nextActionAt'> {
  if (isFilling) {
    return {
      nextAction: `The empty transaction or the holder's uses nonce ${nonce}, whichever is mined first.`,
      nextActionAt: null,
    }
  }
  const order = 'An operator can free it now: "drover signer release-reservations", or "Release all" on the signer page'
  if (!isUsed) {
    return {
      nextAction:
        lockedUntil <= now
          ? `Drover takes nonce ${nonce} back as soon as the chain shows that it is not used. ${order}.`
          : `Nonce ${nonce} is free again at ${spellTime(lockedUntil)}, unless its holder uses or extends it. ${order}.`,
      nextActionAt: Math.max(now, lockedUntil),
    }
  }
  if (alarm === 'unknown_hash') {
    return {
      nextAction: `Nothing until the transaction shows up. ${order}. An empty transaction then takes nonce ${nonce}.`,
      nextActionAt: null,
    }
  }
  return {
    nextAction: `Drover follows the holder's transaction until it is mined. If no RPC node knows it after ${spellDuration(policy.stuckAfterMs)}, Drover raises an alarm. ${order}. An empty transaction then takes nonce ${nonce}, unless the holder's is mined first.`,
    nextActionAt: null,
  }
}
