/** What the owner of a lane loads and writes, and what comes of a write. */
import type { Lease } from '../core/lane/lane.ts'
import type { LaneProblem } from '../core/lane/lane-problem.ts'
import type { ReservationId } from '../core/lane/reservation.ts'
import type { TxCost } from '../core/lane/runway.ts'
import type { Window } from '../core/lane/window.ts'
import type { InFlight, Transaction, TxId, TxState } from '../core/transaction/transaction.ts'
import type { HistoryNote } from '../core/transaction/tx-event.ts'
import type { AccountCount } from './chain.ts'
import type { ReservationSave, ResetAnswer } from './lane-requests.ts'

/** A transaction after a transition, with the version it was decided on and what the history shall say. */
export interface TxSave {
  readonly before: { readonly version: number; readonly state: TxState; readonly attemptCount: number }
  readonly tx: Transaction
  readonly notes: readonly HistoryNote[]
}

export type NonceStatus = 'RESERVED' | 'USED' | 'RECYCLABLE'

export interface NonceMark {
  readonly nonce: number
  readonly status: NonceStatus
  readonly txId: TxId | null
  /** Reserved by a caller that signs its own transactions. A nonce has at most one holder. */
  readonly reservationId?: ReservationId | null
}

/** Everything a lane wants written at one time: all of it or nothing. */
export interface LaneWrite {
  readonly lease: Lease
  /** Moves the cursor from what the lane believes it to be; a lane that never had one expects null. */
  readonly cursor: { readonly expected: number | null; readonly next: number } | null
  readonly saves: readonly TxSave[]
  readonly nonces: readonly NonceMark[]
  /** What the stream shall say of the lane itself. */
  readonly notes: readonly HistoryNote[]
  readonly reservations: readonly ReservationSave[]
  /**
   * Where it is done, the cursor may go back, and whatever was noted of nonces from there on is forgotten. Each reset is
   * answered once: a write that arrives again is stale.
   */
  readonly reset: ResetAnswer | null
  /** The account's balance, where the owner has looked. */
  readonly balance: { readonly wei: bigint; readonly at: number } | null
  /** The account's counts on the chain, where the owner has looked. */
  readonly counts?: ChainCounts | null
  /** Where it has changed. */
  readonly window?: Window | null
  readonly txCost?: TxCost | null
  readonly problems?: readonly LaneProblem[] | null
}

/** The account's counts on the chain, as the owner of its lane last saw them. */
export interface ChainCounts extends AccountCount {
  readonly at: number
  /**
   * How far the cursor is off: below zero, the chain is past it; above zero, that many nonces below it have no holder.
   */
  readonly drift: number
}

/** How a lane has fared, as its owner last saw it; null where it has not seen that yet. */
export interface LaneHealth {
  /** When one of its transactions was last found final, and when its nonce on chain last moved with one of them. */
  readonly lastConfirmationAt: number | null
  readonly lastNonceMovementAt: number | null
  /** When it last signed something. Left out: never, or before this was recorded. */
  readonly lastSignedAt?: number | null
  readonly balance: { readonly wei: bigint; readonly at: number } | null
  readonly counts: ChainCounts | null
  readonly window: Window | null
  readonly txCost: TxCost | null
  readonly problems: readonly LaneProblem[]
}

export type LaneWriteResult =
  /** `transactions` are the saved ones with their new versions, in the order of `saves`. */
  | { readonly type: 'written'; readonly versions: readonly number[] }
  /** The lease is gone: nothing was written, and the lane must stop. */
  | { readonly type: 'fenced' }
  /** Something changed since it was read (an operator, or our own earlier write): nothing was written; load again. */
  | { readonly type: 'stale'; readonly detail: string }
  /** The database refused this lane's write for what it contains (a constraint); others were not touched. */
  | { readonly type: 'refused'; readonly detail: string }

export type AmendResult = { readonly type: 'written'; readonly version: number } | { readonly type: 'stale' }

/** A lease that was free, or, with the node that lost it, one that had run out. */
export type AcquiredLease = Lease & { readonly takenFrom?: string }

/** A lease that was extended, and the node, if any, that asked to have it. */
export type RenewedLease = Lease & { readonly wantedBy: string | null }

export interface LoadedLane {
  /** Null until the first nonce is taken. */
  readonly cursor: number | null
  /** The database was promoted from a standby since the cursor last moved, and may lack the last writes before that. */
  readonly isPromotedSince?: true
  readonly inFlight: readonly InFlight[]
  readonly recyclable: readonly number[]
  /** As the last owner left it; null if there was none. */
  readonly window: Window | null
  readonly seen: Pick<LaneHealth, 'balance' | 'txCost' | 'problems'>
}
