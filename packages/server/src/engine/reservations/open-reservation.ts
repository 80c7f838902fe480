/** What the owner of a lane sees in a reservation that is not final: a nonce that is out, a lock, something to find out. */
import type { OpenReservation } from '../../ports/lane-requests.ts'

/** A nonce that somebody else holds. */
export interface ReservedNonce {
  readonly nonce: number
  /** Its holder has named a transaction. */
  readonly isUsed: boolean
  /** When it did. */
  readonly usedAt: number | null
  readonly reservedAt: number | null
  readonly isMined: boolean
  /** Taken from its holder: an empty transaction of the lane's own is to use it. */
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

/** An operator ordered an empty transaction for it, and nothing was done about that yet. */
export function awaitsYield({ nonce, inclusion, finalAt, fillOrderedAt, yieldedAt }: OpenReservation): boolean {
  return fillOrderedAt !== null && yieldedAt === null && nonce !== null && inclusion === null && finalAt === null
}

/** Over for its holder: its lock has run out, or it was given back, or taken. `isFilled`: what fills it is on its way. */
export function isLapsed(reservation: OpenReservation, isFilled: (nonce: number) => boolean): boolean {
  const { state, isExpired, finalAt, fillOrderedAt, yieldedAt, nonce } = reservation
  if (finalAt !== null) return false
  if (yieldedAt !== null) return nonce !== null && !isFilled(nonce)
  if (fillOrderedAt !== null) return false
  return state === 'RELEASED' || (isExpired && (state === 'REQUESTED' || state === 'RESERVED'))
}
