/** What blocks and expired locks change in the open reservations of a lane. */
import { assessInclusion, type ChainView, type Finality } from '../../core/chain/finality.ts'
import type { ReservationId } from '../../core/lane/reservation.ts'
import type { OpenReservation } from '../../ports/lane-requests.ts'
import { awaitsYield, isLapsed } from './open-reservation.ts'
import type { CountsSince } from './request-counts.ts'
import type { RequestDraft } from './request-draft.ts'

export interface AssessScene {
  readonly view: ChainView
  readonly finality: Finality
  readonly at: number
  lookUp(id: ReservationId): void
}

export function assessReservations(draft: RequestDraft, { view, finality, at, lookUp }: AssessScene): void {
  for (const { id, inclusion } of draft.list()) {
    if (inclusion === null) continue
    const { blockHash } = inclusion
    const status = assessInclusion(inclusion, view, finality)
    if (status.type === 'reorged') draft.apply(id, { type: 'inclusion.reorged', at, blockHash })
    if (status.type === 'unknown') lookUp(id)
    if (status.type === 'final') draft.apply(id, { type: 'finality.reached', at, blockHash })
  }
}

export interface LapseScene {
  /** No older than the head; null: query the chain first. */
  readonly counts: CountsSince | null
  /** Nonces of the lane's own transactions. */
  readonly sent: ReadonlySet<number>
  readonly at: number
}

export interface LapseResult {
  /** Some nonce can only be settled with counts from the chain. */
  readonly needsCounts: boolean
  /** Some nonce is used, but not yet final: a later block settles it. */
  readonly isUnsettled: boolean
}

/** Ends the reservations that have ended for their holders, and frees their nonces if the chain has not used them. */
export function lapseReservations(draft: RequestDraft, { counts, sent, at }: LapseScene): LapseResult {
  let needsCounts = false
  let isUnsettled = false
  for (const reservation of draft.list().filter((each) => isOver(each, sent))) {
    if (reservation.nonce !== null && counts === null) {
      needsCounts = true
      continue
    }
    const { latest, final } = counts ?? { latest: 0, final: null }
    const isFree = awaitsYield(reservation) && reservation.nonce !== null && latest <= reservation.nonce
    const event = isFree
      ? ({ type: 'reservation.yielded', at, latestCount: latest } as const)
      : ({ type: 'reservation.lapsed', at, latestCount: latest, finalCount: final } as const)
    if (!draft.apply(reservation.id, event)) isUnsettled = true
  }
  return { needsCounts, isUnsettled }
}

export function isOver(reservation: OpenReservation, sent: ReadonlySet<number>): boolean {
  return awaitsYield(reservation) || isLapsed(reservation, (nonce) => sent.has(nonce))
}
