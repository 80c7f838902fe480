/**
 * What is asked of a lane's owner from any node: nonces for callers that sign themselves, and resets of the cursor. A
 * request is a row; the owner finds it, answers it under its fence, and the row is the answer. A holder's own acts on a
 * reservation carry no fence: each is one row, held to the proof that the holder has and to the database's clock.
 */
import type { Hash } from '../core/hex.ts'
import type { Lane } from '../core/lane/lane.ts'
import type { NonceReset } from '../core/lane/nonce-reset.ts'
import type { Reservation, ReservationId } from '../core/lane/reservation.ts'
import type { TxId } from '../core/transaction/transaction.ts'
import type { OperatorAct } from '../core/transaction/tx-event.ts'

export interface NewReservations {
  readonly lane: Lane
  /** One reservation for each; `lockOwner` is the digest of what its holder must show, never that itself. */
  readonly items: readonly { readonly id: ReservationId; readonly lockOwner: string }[]
  readonly ttlMs: number
  readonly label: string | null
  readonly requestId: string | null
  /** Whose request id it is; left out: that of a service without keys. */
  readonly tenant?: string
  /** The API key that asked, by its id and for people; left out: none. */
  readonly key?: { readonly id: string; readonly holder: string }
  /** How many may be open on the lane, and of this tenant, with these. */
  readonly most?: { readonly lane: number; readonly tenant: number }
}

export type ReserveOutcome =
  | { readonly type: 'inserted'; readonly reservations: readonly Reservation[] }
  /** There were some under this request id, in the order in which they were asked for. */
  | {
      readonly type: 'existing'
      readonly items: readonly { readonly reservation: Reservation; readonly lockOwner: string }[]
    }
  | { readonly type: 'unknown_signer' }
  /** There are as many open as may be; nothing was stored. */
  | { readonly type: 'too_many' }

/** Which reservations an order is about: those to which all that is given applies. */
export interface ReservationFilter {
  readonly lane?: Lane
  readonly tenant?: string
  readonly keyId?: string
  readonly ids?: readonly ReservationId[]
}

/**
 * Taken from its holder by an authorised caller. `release`: those that were not used. `fill`: an empty transaction of
 * the lane's own takes the nonce, used or not, as long as it is not mined.
 */
export interface ReservationOrder {
  readonly type: 'release' | 'fill'
  readonly filter: ReservationFilter
  readonly cause: 'operator' | 'key_revoked'
  readonly by: OperatorAct
}

export type HolderAct =
  /** Another hash for a nonce that is used already is a replacement by the holder. */
  | { readonly type: 'use'; readonly hash: Hash }
  | { readonly type: 'extend'; readonly ttlMs: number }
  | { readonly type: 'release' }

export type HolderOutcome =
  /** Also for what was so already. */
  | { readonly type: 'done'; readonly reservation: Reservation }
  | { readonly type: 'not_owner' }
  /** Its lock has run out by the database's clock. */
  | { readonly type: 'expired'; readonly reservation: Reservation }
  | { readonly type: 'refused'; readonly reservation: Reservation }

/** A reservation as its lane's owner sees it. */
export type OpenReservation = Reservation & {
  /**
   * By the database's clock, or because the key that asked was revoked before a nonce was reserved. Once true it stays
   * true: it can no longer be extended.
   */
  readonly isExpired: boolean
}

export interface LaneRequests {
  /** Those that are not final, oldest first. */
  readonly reservations: readonly OpenReservation[]
  /** Those that are not answered, oldest first. */
  readonly resets: readonly NonceReset[]
}

/** A reservation after a step, held to the version that it was decided on. A lock begins by the database's clock. */
export interface ReservationSave {
  readonly before: { readonly version: number }
  readonly reservation: Reservation
  /** The lock begins with this write. */
  readonly locks: boolean
}

/** The answer to a reset. One that is done moves the cursor, with the same write, from and to what it says. */
export type ResetAnswer =
  | { readonly id: string; readonly state: 'DONE'; readonly refusal: null }
  | { readonly id: string; readonly state: 'REFUSED'; readonly refusal: string }
  /** Not over: these are cancelled first. */
  | { readonly id: string; readonly state: 'CANCELLING'; readonly refusal: null; readonly txIds: readonly TxId[] }

export interface NewReset extends Pick<NonceReset, 'id' | 'lane' | 'actor' | 'reason'> {
  /** Left out: the cursor alone is moved. */
  readonly cancelsFirst?: boolean
}

export interface LaneRequestStore {
  /** All of them or none. The lane's owner is notified. */
  insertReservations(request: NewReservations): Promise<ReserveOutcome>
  /** In order; null where there is none. */
  findReservations(ids: readonly ReservationId[]): Promise<readonly (Reservation | null)[]>
  /** Null: there is no such reservation. */
  actOnReservation(id: ReservationId, lockOwner: string, act: HolderAct): Promise<HolderOutcome | null>
  /**
   * Those that the order changed, as they are now. Their lanes' owners are notified. Reservations already in that state
   * are left alone.
   */
  orderReservations(order: ReservationOrder): Promise<readonly Reservation[]>
  /** False where the signer is not registered. */
  insertReset(reset: NewReset): Promise<boolean>
  findReset(id: string): Promise<NonceReset | null>
  /** Newest first. */
  listResets(lane: Lane, limit: number): Promise<readonly NonceReset[]>
  /** For the lane's owner. */
  readLaneRequests(lane: Lane): Promise<LaneRequests>
  /** Lanes leased to this node where something waits for its owner: the polling behind `lane.asked`, one statement for all. */
  lanesAsked(nodeId: string): Promise<readonly Lane[]>
}
