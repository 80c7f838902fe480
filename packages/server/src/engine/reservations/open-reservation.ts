/** How a lane's owner sees a reservation that is not final: an outstanding nonce, a lock, something to find out. */
import type { OpenReservation } from '../../ports/lane-requests.ts'

/** A nonce that a caller holds. */
export interface ReservedNonce {
  readonly nonce: number
  /** Its holder has reported a transaction. */
  readonly isUsed: boolean
  /** When the holder reported it. */
  readonly usedAt: number | null
  readonly reservedAt: number | null
  readonly isMined: boolean
  /** Taken from its holder: an empty transaction of the lane's own will use it. */
  readonly isYielded: boolean
}

export function toReservedNonce(reservation: OpenReservation): readonly ReservedNonce[] {
  const { nonce, state, usedAt, reservedAt, inclusion, yieldedAt } = reservation
  if (nonce === null) return []
  return [
    { nonce, isUsed: state === 'USED', usedAt, reservedAt, isMined: inclusion !== null, isYielded: yieldedAt !== null },
  ]
}

export function isLocked({ state, isExpired, fillOrderedAt }: OpenReservation): boolean {
  return (state === 'REQUESTED' || state === 'RESERVED') && !isExpired && fillOrderedAt === null
}

/** An operator ordered an empty transaction for it, and the order is still open. */
export function awaitsYield({ nonce, inclusion, finalAt, fillOrderedAt, yieldedAt }: OpenReservation): boolean {
  return fillOrderedAt !== null && yieldedAt === null && nonce !== null && inclusion === null && finalAt === null
}

/** Ended for its holder: its lock has run out, or it was given back or taken. `isFilled`: its fill is in flight. */
export function isLapsed(reservation: OpenReservation, isFilled: (nonce: number) => boolean): boolean {
  const { state, isExpired, finalAt, fillOrderedAt, yieldedAt, nonce } = reservation
  if (finalAt !== null) return false
  if (yieldedAt !== null) return nonce !== null && !isFilled(nonce)
  if (fillOrderedAt !== null) return false
  return state === 'RELEASED' || (isExpired && (state === 'REQUESTED' || state === 'RESERVED'))
}
