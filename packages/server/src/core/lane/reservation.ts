/**
 * A nonce reserved by a caller that signs its own transactions. It comes from the same cursor, counts against the same
 * budget and is written under the same fence as the nonces of managed transactions.
 *
 * While the lock lasts, only its holder, who has the proof, moves it: to USED with a hash, further into the future, or
 * back. Everything else is up to the lane's owner: it reserves the nonce, follows the hash to finality, and, once the
 * lock has run out or the holder gave it back, finds out from the chain whether the nonce was used. It is free again
 * only if the chain has not used it. If the chain has, it is gone, whatever the holder said.
 *
 * An operator can take it away. An unused nonce goes back like an expired one. If the holder reported a transaction,
 * taking the nonce does not prove that the transaction cannot be mined, so the nonce is never free again: it is yielded
 * to an empty transaction of the lane's own, both are watched, and whichever is mined uses it.
 */
import type { Inclusion } from '../chain/finality.ts'
import type { Hash } from '../hex.ts'
import type { HistoryNote } from '../transaction/tx-event.ts'
import type { Lane } from './lane.ts'

export const RESERVATION_STATES = ['REQUESTED', 'RESERVED', 'USED', 'RELEASED', 'EXPIRED'] as const
export type ReservationState = (typeof RESERVATION_STATES)[number]

/** How its nonce ended on chain. `foreign`: by a transaction that the holder did not report. */
export const RESERVATION_RESULTS = ['succeeded', 'reverted', 'foreign'] as const
export type ReservationResult = (typeof RESERVATION_RESULTS)[number]

export type ReservationId = string

/**
 * Why a reservation needs attention. `unknown_hash`: no RPC node knows the transaction that the holder reported.
 * `not_mined`: a node knows it, no block includes it, and others wait for it. `not_used`: nothing was sent, and others
 * wait.
 */
export const RESERVATION_ALARMS = ['unknown_hash', 'not_mined', 'not_used'] as const
export type ReservationAlarm = (typeof RESERVATION_ALARMS)[number]

/** The most reservations of one lane that are not final, including those without a nonce. */
export const MAX_OPEN_RESERVATIONS = 1_000

/** How often a holder may report another hash for the same nonce. */
export const MAX_HASHES = 50

export interface Reservation {
  readonly id: ReservationId
  readonly lane: Lane
  readonly state: ReservationState
  /** Grows with every stored change. */
  readonly version: number
  readonly requestId: string | null
  /** The caller: the tenant ('' without keys), the id of the API key, and both its name and id for people. */
  readonly tenant: string
  readonly keyId: string | null
  readonly holder: string | null
  readonly label: string | null
  readonly ttlMs: number
  /** Null until the lane's owner has reserved one. */
  readonly nonce: number | null
  /** By the database's clock. Until a nonce is reserved, the time after which none is wanted any more. */
  readonly lockedUntil: number
  /** Transactions that the holder reported for this nonce, oldest first: a fee bump adds one. */
  readonly hashes: readonly Hash[]
  readonly inclusion: Inclusion | null
  readonly result: ReservationResult | null
  readonly createdAt: number
  readonly reservedAt: number | null
  readonly usedAt: number | null
  readonly minedAt: number | null
  /** The alarm that was raised for it, and when; null: none, or it has moved since. */
  readonly alarm: { readonly cause: ReservationAlarm; readonly at: number } | null
  /** When an operator ordered an empty transaction for its nonce, and when the lane's owner began to carry that out. */
  readonly fillOrderedAt: number | null
  readonly yieldedAt: number | null
  /** Nothing changes after this. A nonce given back is free from here on. */
  readonly finalAt: number | null
}

/** The lowest reserved nonce of a lane that is not mined yet: those above wait for it. */
export interface LowestReserved {
  readonly nonce: number
  readonly lockedUntil: number
  readonly isUsed: boolean
  /** An empty transaction is about to take its nonce, or has taken it. */
  readonly isFilling: boolean
  readonly alarm: ReservationAlarm | null
  /** These are null if it belongs to another tenant and the caller may not know whose it is. */
  readonly reservationId: ReservationId | null
  readonly tenant: string | null
  /** The API key that holds it, by name and id; null also if there are no keys. */
  readonly holder: string | null
  /** The latest hash that the holder reported. */
  readonly hash: Hash | null
}

export type ReservationEvent =
  | { readonly type: 'reservation.granted'; readonly at: number; readonly nonce: number }
  /** The lock has run out, or the holder gave the nonce back: the chain's counts show whether it was used. */
  | {
      readonly type: 'reservation.lapsed'
      readonly at: number
      readonly latestCount: number
      /** The count as of the latest final block; null if unknown. */
      readonly finalCount: number | null
    }
  /** A fill was ordered: the chain's latest count shows whether the nonce can still be filled. */
  | { readonly type: 'reservation.yielded'; readonly at: number; readonly latestCount: number }
  | { readonly type: 'reservation.alarmed'; readonly at: number; readonly cause: ReservationAlarm }
  | { readonly type: 'inclusion.seen'; readonly at: number; readonly inclusion: Inclusion }
  | { readonly type: 'inclusion.reorged'; readonly at: number; readonly blockHash: Hash }
  | { readonly type: 'finality.reached'; readonly at: number; readonly blockHash: Hash }
  | { readonly type: 'nonce.lost'; readonly at: number; readonly nonce: number }

export interface ReservationStep {
  readonly reservation: Reservation
  readonly note: HistoryNote
  /** The nonce's new status; null if it does not change. `YIELDED`: kept, for a transaction of the lane's own. */
  readonly mark: 'RESERVED' | 'YIELDED' | 'USED' | 'RECYCLABLE' | null
}

/** Null: late, repeated, or about another block or nonce; nothing changes. */
export function moveReservation(reservation: Reservation, event: ReservationEvent): ReservationStep | null {
  if (reservation.finalAt !== null) return null
  switch (event.type) {
    case 'reservation.granted':
      return grant(reservation, event.nonce, event.at)
    case 'reservation.lapsed':
      return lapse(reservation, event)
    case 'reservation.yielded':
      return yieldNonce(reservation, event.latestCount, event.at)
    case 'reservation.alarmed':
      return raiseAlarm(reservation, event.cause, event.at)
    case 'inclusion.seen':
      return include(reservation, event.inclusion, event.at)
    case 'inclusion.reorged':
      if (reservation.inclusion?.blockHash !== event.blockHash) return null
      return step({ ...reservation, inclusion: null, minedAt: null }, 'reorged', 'new_fork', null)
    case 'finality.reached': {
      const { inclusion } = reservation
      if (inclusion?.blockHash !== event.blockHash) return null
      const result = inclusion.succeeded ? 'succeeded' : 'reverted'
      return step({ ...reservation, result, finalAt: event.at }, 'final', result, endMark(reservation))
    }
    case 'nonce.lost':
      if (reservation.nonce !== event.nonce || reservation.inclusion !== null) return null
      return endForeign(reservation, event.at)
  }
}

function endForeign(reservation: Reservation, at: number): ReservationStep {
  const ended = { ...reservation, state: 'USED', result: 'foreign', finalAt: at } as const
  return step(ended, 'final', 'foreign', endMark(reservation))
}

/** A yielded nonce belongs to the filling transaction, which decides its status. */
function endMark({ yieldedAt }: Reservation): ReservationStep['mark'] {
  return yieldedAt === null ? 'USED' : null
}

function grant(reservation: Reservation, nonce: number, at: number): ReservationStep | null {
  if (reservation.state !== 'REQUESTED') return null
  const lockedUntil = at + reservation.ttlMs
  return step({ ...reservation, state: 'RESERVED', nonce, lockedUntil, reservedAt: at }, 'granted', null, 'RESERVED')
}

function lapse(
  reservation: Reservation,
  { at, latestCount, finalCount }: Extract<ReservationEvent, { type: 'reservation.lapsed' }>,
): ReservationStep | null {
  const { state, nonce } = reservation
  const isUsedForGood = nonce !== null && finalCount !== null && finalCount > nonce
  // Never free again: an empty transaction may be out under it.
  if (reservation.yieldedAt !== null)
    return isUsedForGood && reservation.inclusion === null ? endForeign(reservation, at) : null
  if (state === 'USED') return null
  const isReturned = state === 'RELEASED'
  const ended = { ...reservation, state: isReturned ? state : 'EXPIRED', finalAt: at } as const
  const name = isReturned ? 'returned' : 'expired'
  if (nonce === null) return step(ended, name, null, null)
  if (latestCount <= nonce) return step(ended, name, null, 'RECYCLABLE')
  // A block that may still leave the chain would undo the use of the nonce.
  return isUsedForGood ? endForeign(reservation, at) : null
}

function yieldNonce(reservation: Reservation, latestCount: number, at: number): ReservationStep | null {
  const { nonce, inclusion, fillOrderedAt, yieldedAt } = reservation
  if (fillOrderedAt === null || yieldedAt !== null || nonce === null || inclusion !== null) return null
  // The chain has used it: which transaction did is found out as for any other.
  if (latestCount > nonce) return null
  return step({ ...reservation, yieldedAt: at }, 'yielded', 'operator', 'YIELDED')
}

function raiseAlarm(reservation: Reservation, cause: ReservationAlarm, at: number): ReservationStep | null {
  if (!holdsNonce(reservation) || reservation.inclusion !== null || reservation.alarm !== null) return null
  const raised = { ...reservation, alarm: { cause, at } }
  const { holder, hashes } = reservation
  return {
    reservation: raised,
    note: noteReservation(raised, 'stuck', cause, { holder, hash: hashes.at(-1) ?? null }),
    mark: null,
  }
}

function include(reservation: Reservation, inclusion: Inclusion, at: number): ReservationStep | null {
  if (reservation.state !== 'USED' || !reservation.hashes.includes(inclusion.txHash)) return null
  const before = reservation.inclusion
  if (before?.blockHash === inclusion.blockHash && before.txHash === inclusion.txHash) return null
  return step(
    { ...reservation, inclusion, minedAt: at, alarm: null },
    'included',
    before === null ? null : 'new_fork',
    null,
  )
}

function step(
  reservation: Reservation,
  name: string,
  cause: string | null,
  mark: ReservationStep['mark'],
): ReservationStep {
  const { inclusion } = reservation
  const block = inclusion && { hash: inclusion.txHash, blockNumber: inclusion.blockNumber }
  return { reservation, note: noteReservation(reservation, name, cause, block ?? {}), mark }
}

export function noteReservation(
  { id, nonce, label, tenant }: Pick<Reservation, 'id' | 'nonce' | 'label' | 'tenant'>,
  name: string,
  cause: string | null,
  more: HistoryNote['detail'] = {},
): HistoryNote {
  return {
    type: `reservation.${name}`,
    cause,
    detail: { reservationId: id, tenant: tenant || null, nonce, label, ...more },
  }
}

/** It holds a nonce that is exclusively its own. */
export function holdsNonce(reservation: Reservation): reservation is Reservation & { readonly nonce: number } {
  return reservation.nonce !== null && reservation.finalAt === null
}
