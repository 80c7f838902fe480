/**
 * A nonce that is lent to somebody who signs for himself. It comes from the same cursor, counts against the same budget
 * and is written under the same fence as the nonces of managed transactions.
 *
 * Only its holder, who has the proof, moves it while the lock lasts: to USED with a hash, further into the future, or
 * back. Everything else is the lane's owner's: to lend it, to follow the hash to finality, and, once the lock has run out
 * or the holder gave it back, to find out from the chain what became of the nonce. It is free again only if the chain has
 * not used it; if the chain has, it is nobody's any more, whatever the holder said.
 */
import type { Inclusion } from './finality.ts'
import type { Hash } from './hex.ts'
import type { Lane } from './lane.ts'
import type { HistoryNote } from './tx-event.ts'

export const RESERVATION_STATES = ['REQUESTED', 'RESERVED', 'USED', 'RELEASED', 'EXPIRED'] as const
export type ReservationState = (typeof RESERVATION_STATES)[number]

/** How its nonce ended on chain. `foreign`: by a transaction that the holder did not name. */
export const RESERVATION_RESULTS = ['succeeded', 'reverted', 'foreign'] as const
export type ReservationResult = (typeof RESERVATION_RESULTS)[number]

export type ReservationId = string

export interface Reservation {
  readonly id: ReservationId
  readonly lane: Lane
  readonly state: ReservationState
  /** Grows with every stored change. */
  readonly version: number
  readonly requestId: string | null
  readonly label: string | null
  readonly ttlMs: number
  /** Null until the lane's owner has lent one. */
  readonly nonce: number | null
  /** By the database's clock. Until a nonce is lent, the time after which none is wanted any more. */
  readonly lockedUntil: number
  /** What the holder says it sent with this nonce, oldest first: a fee bump adds one. */
  readonly hashes: readonly Hash[]
  readonly inclusion: Inclusion | null
  readonly result: ReservationResult | null
  readonly createdAt: number
  readonly reservedAt: number | null
  readonly usedAt: number | null
  readonly minedAt: number | null
  /** Nothing changes after this. A nonce given back is free from here on. */
  readonly finalAt: number | null
}

export type ReservationEvent =
  | { readonly type: 'reservation.granted'; readonly at: number; readonly nonce: number }
  /** The lock has run out, or the holder gave the nonce back: the chain's counts say what became of it. */
  | {
      readonly type: 'reservation.lapsed'
      readonly at: number
      readonly latestCount: number
      /** The count as of the latest block that is final; null where that is not known. */
      readonly finalCount: number | null
    }
  | { readonly type: 'inclusion.seen'; readonly at: number; readonly inclusion: Inclusion }
  | { readonly type: 'inclusion.reorged'; readonly at: number; readonly blockHash: Hash }
  | { readonly type: 'finality.reached'; readonly at: number; readonly blockHash: Hash }
  | { readonly type: 'nonce.lost'; readonly at: number; readonly nonce: number }

export interface ReservationStep {
  readonly reservation: Reservation
  readonly note: HistoryNote
  /** What becomes of the nonce; null where it stays as it is. */
  readonly mark: 'RESERVED' | 'USED' | 'RECYCLABLE' | null
}

/** Null: late, repeated, or of another block or nonce; nothing changes. */
export function moveReservation(reservation: Reservation, event: ReservationEvent): ReservationStep | null {
  if (reservation.finalAt !== null) return null
  switch (event.type) {
    case 'reservation.granted':
      return grant(reservation, event.nonce, event.at)
    case 'reservation.lapsed':
      return lapse(reservation, event)
    case 'inclusion.seen':
      return include(reservation, event.inclusion, event.at)
    case 'inclusion.reorged':
      if (reservation.inclusion?.blockHash !== event.blockHash) return null
      return step({ ...reservation, inclusion: null, minedAt: null }, 'reorged', 'new_fork', null)
    case 'finality.reached': {
      const { inclusion } = reservation
      if (inclusion?.blockHash !== event.blockHash) return null
      const result = inclusion.succeeded ? 'succeeded' : 'reverted'
      return step({ ...reservation, result, finalAt: event.at }, 'final', result, 'USED')
    }
    case 'nonce.lost':
      if (reservation.nonce !== event.nonce || reservation.inclusion !== null) return null
      return step({ ...reservation, state: 'USED', result: 'foreign', finalAt: event.at }, 'final', 'foreign', 'USED')
  }
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
  if (state === 'USED') return null
  const isReturned = state === 'RELEASED'
  const ended = { ...reservation, state: isReturned ? state : 'EXPIRED', finalAt: at } as const
  const name = isReturned ? 'returned' : 'expired'
  if (nonce === null) return step(ended, name, null, null)
  if (latestCount <= nonce) return step(ended, name, null, 'RECYCLABLE')
  // A block that may still leave the chain would take the use of the nonce along.
  if (finalCount === null || finalCount <= nonce) return null
  return step({ ...reservation, state: 'USED', result: 'foreign', finalAt: at }, 'final', 'foreign', 'USED')
}

function include(reservation: Reservation, inclusion: Inclusion, at: number): ReservationStep | null {
  if (reservation.state !== 'USED' || !reservation.hashes.includes(inclusion.txHash)) return null
  const before = reservation.inclusion
  if (before?.blockHash === inclusion.blockHash && before.txHash === inclusion.txHash) return null
  return step({ ...reservation, inclusion, minedAt: at }, 'included', before === null ? null : 'new_fork', null)
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
  { id, nonce, label }: Pick<Reservation, 'id' | 'nonce' | 'label'>,
  name: string,
  cause: string | null,
  more: HistoryNote['detail'] = {},
): HistoryNote {
  return { type: `reservation.${name}`, cause, detail: { reservationId: id, nonce, label, ...more } }
}

/** It holds a nonce that nobody else may have. */
export function holdsNonce(reservation: Reservation): reservation is Reservation & { readonly nonce: number } {
  return reservation.nonce !== null && reservation.finalAt === null
}
