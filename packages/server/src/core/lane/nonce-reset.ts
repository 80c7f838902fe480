/**
 * An operator's order to set the cursor of a lane to the chain's count: the only way in which a cursor may go back. The
 * lane's owner carries it out under its fence, and refuses it while a live transaction has a nonce at or above the
 * count, because the cursor would reach that nonce again. An order that cancels first makes that room itself: see
 * cancel-all.ts.
 */

import type { InFlight, TxId } from '../transaction/transaction.ts'
import type { Lane } from './lane.ts'
import type { Reservation, ReservationId } from './reservation.ts'
import { holdsNonce } from './reservation.ts'

/** `CANCELLING`: everything in flight is being cancelled; no nonce is given out meanwhile. */
export const RESET_STATES = ['REQUESTED', 'CANCELLING', 'DONE', 'REFUSED'] as const

export interface NonceReset {
  readonly id: string
  readonly lane: Lane
  readonly state: (typeof RESET_STATES)[number]
  readonly actor: string
  readonly reason: string
  /** The cursor before and after; null until it was carried out. Before is also null if there was none. */
  readonly fromNonce: number | null
  readonly toNonce: number | null
  /** Why it was refused, in words. */
  readonly refusal: string | null
  /** Everything in flight is cancelled before the cursor moves. */
  readonly cancelsFirst: boolean
  /** The transactions that it cancels; null until the owner has begun. */
  readonly txIds: readonly TxId[] | null
  /** Their outcomes so far. */
  readonly progress: CancelProgress | null
  readonly requestedAt: number
  readonly answeredAt: number | null
}

export interface CancelProgress {
  readonly total: number
  readonly cancelled: number
  /** They were mined before their cancel was, or ended in another way. */
  readonly endedOtherwise: number
  readonly left: number
}

export function toProgress(
  total: number,
  { cancelled, left }: Pick<CancelProgress, 'cancelled' | 'left'>,
): CancelProgress {
  return { total, cancelled, endedOtherwise: total - cancelled - left, left }
}

export type ResetVerdict =
  | { readonly type: 'done'; readonly next: number }
  | { readonly type: 'refused'; readonly why: string }

interface Holder {
  readonly nonce: number
  readonly name: string
}

const NAMED = 5

export function decideReset(
  chainCount: number,
  live: {
    readonly inFlight: readonly Pick<InFlight, 'id' | 'nonce' | 'state'>[]
    readonly reservations: readonly Reservation[]
  },
): ResetVerdict {
  const holders: Holder[] = [
    ...live.inFlight.map(({ id, nonce, state }) => ({ nonce, name: nameTransaction(id, state) })),
    ...live.reservations
      .filter(holdsNonce)
      .map(({ id, nonce, state }) => ({ nonce, name: nameReservation(id, state) })),
  ]
  const inTheWay = holders.filter(({ nonce }) => nonce >= chainCount).sort((a, b) => a.nonce - b.nonce)
  if (inTheWay.length === 0) return { type: 'done', next: chainCount }
  const named = inTheWay.slice(0, NAMED).map(({ nonce, name }) => `nonce ${nonce} of ${name}`)
  const others = inTheWay.length > NAMED ? `, and ${inTheWay.length - NAMED} more` : ''
  const hint = live.reservations.some(holdsNonce) ? '; release the reservations first' : ''
  return {
    type: 'refused',
    why: `the next nonce on chain is ${chainCount}, but these are still open: ${named.join(', ')}${others}${hint}`,
  }
}

function nameTransaction(id: TxId, state: string): string {
  return `transaction ${id} (${state})`
}

function nameReservation(id: ReservationId, state: string): string {
  return `reservation ${id} (${state})`
}
