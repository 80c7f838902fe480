/**
 * What keeps a lane from working, or soon will, as facts: found by the node that runs the lane, stored with it, and put
 * into words by `describe-problem.ts` on request.
 */
import { type FeeLimit, isSameLimit } from '../fees/fee-limit.ts'
import { whyNotRaised } from '../transaction/replace-sent.ts'
import { type InFlight, isPreconfirmed, type TxId } from '../transaction/transaction.ts'

/** Worst first. Stable codes: programs may match on them, and they are labels of a metric. */
export const LANE_PROBLEMS = [
  'no_owner',
  'owner_silent',
  'key_unavailable',
  'foreign_nonce',
  'stuck',
  'out_of_funds',
  'fee_above_cap',
  'blocked_by_reservation',
  'balance_low',
] as const
export type LaneProblemCode = (typeof LANE_PROBLEMS)[number]

/** Problems that the lane's owner finds; only others can see whether there is an owner. */
export type FoundCode = Exclude<LaneProblemCode, 'no_owner' | 'owner_silent'>

export interface LaneProblem {
  readonly code: FoundCode
  readonly since: number
  /** The first transaction that it concerns, by nonce or by place in the queue. */
  readonly txId: TxId | null
  readonly nonce: number | null
  /** How many it concerns, if known. Of `foreign_nonce`: null until the other transaction is final. */
  readonly count: number | null
  /** Details of that transaction: the amounts that it lacks, the price that is asked. */
  readonly detail: string | null
  /** The limit that forbids its price, if that is the problem. */
  readonly limit?: FeeLimit
}

/** A transaction in the queue that waits, and what for. */
export interface QueueWait {
  readonly txId: TxId
  readonly message: string
  readonly limit?: FeeLimit
}

export interface LaneScene {
  readonly now: number
  readonly unmined: readonly InFlight[]
  readonly unfunded: QueueWait | null
  readonly priced: QueueWait | null
  readonly isBalanceLow: boolean
  /** The first in the queue that could not be signed. */
  readonly unsigned: QueueWait | null
  /** The lowest nonce in flight that the chain counts as used, though no block has its transaction. */
  readonly usedElsewhere: { readonly txId: TxId; readonly nonce: number; readonly since: number } | null
  /** Since when reservations have kept others waiting, if that is too long, and the lowest reserved nonce now. */
  readonly overdueReservation: { readonly nonce: number; readonly since: number } | null
}

/** In the order of `LANE_PROBLEMS`, at most one of each code. A problem that was there before keeps its start time. */
export function findLaneProblems(scene: LaneScene, before: readonly LaneProblem[]): readonly LaneProblem[] {
  const found = [
    findUnsigned(scene),
    findStuck(scene, 'foreign_nonce') ?? findUsed(scene),
    findStuck(scene, 'stuck'),
    findWait(scene, 'out_of_funds'),
    findWait(scene, 'fee_above_cap'),
    findReservation(scene),
    scene.isBalanceLow ? problem('balance_low', scene.now) : null,
  ]
  return found.flatMap((each) => {
    if (each === null) return []
    const known = before.find(({ code }) => code === each.code)
    return [known === undefined ? each : { ...each, since: known.since }]
  })
}

function problem(code: FoundCode, since: number): LaneProblem {
  return { code, since, txId: null, nonce: null, count: null, detail: null }
}

function findStuck({ unmined }: LaneScene, code: 'foreign_nonce' | 'stuck'): LaneProblem | null {
  const stuck = unmined.filter((tx) => tx.state === 'STUCK' && (tx.subState === 'foreign_nonce') === isForeign(code))
  const [first] = stuck
  if (first === undefined || first.state !== 'STUCK') return null
  return {
    ...problem(code, first.stuckAt),
    txId: first.id,
    nonce: first.nonce,
    count: stuck.length,
    detail: first.error?.message ?? null,
  }
}

function findUsed({ usedElsewhere }: LaneScene): LaneProblem | null {
  if (usedElsewhere === null) return null
  const { txId, nonce, since } = usedElsewhere
  return { ...problem('foreign_nonce', since), txId, nonce }
}

function isForeign(code: FoundCode): boolean {
  return code === 'foreign_nonce'
}

type WaitCode = 'out_of_funds' | 'fee_above_cap'

function waitsFor(tx: InFlight, code: WaitCode): boolean {
  if (tx.state === 'STUCK') return false
  if (code === 'out_of_funds') return tx.subState === 'waiting_for_funds'
  if (tx.subState === 'fee_above_cap') return true
  // A node that has refused the same bytes since then does not lift the cap.
  return tx.error?.unraised?.code === 'fee_above_cap' && !tx.suspended && !isPreconfirmed(tx)
}

/** Sent transactions come before queued ones: they hold a nonce, and all behind them wait. */
function findWait(scene: LaneScene, code: WaitCode): LaneProblem | null {
  const sent = scene.unmined.find((tx) => waitsFor(tx, code))
  if (sent !== undefined) {
    const error = code === 'fee_above_cap' ? (whyNotRaised(sent.error) ?? sent.error) : sent.error
    const { message = null, limit } = error ?? {}
    return { ...problem(code, scene.now), txId: sent.id, nonce: sent.nonce, detail: message, ...(limit && { limit }) }
  }
  const queued = code === 'out_of_funds' ? scene.unfunded : scene.priced
  if (queued === null) return null
  const { txId, message, limit } = queued
  return { ...problem(code, scene.now), txId, detail: message, ...(limit && { limit }) }
}

function findUnsigned({ unsigned, now }: LaneScene): LaneProblem | null {
  return unsigned && { ...problem('key_unavailable', now), txId: unsigned.txId, detail: unsigned.message }
}

function findReservation({ overdueReservation }: LaneScene): LaneProblem | null {
  return (
    overdueReservation && {
      ...problem('blocked_by_reservation', overdueReservation.since),
      nonce: overdueReservation.nonce,
    }
  )
}

/** Nothing worth reporting again has changed. */
export function isSameProblem(one: LaneProblem, other: LaneProblem): boolean {
  const isAlike = one.code === other.code && one.txId === other.txId && one.nonce === other.nonce
  return isAlike && one.count === other.count && isSameLimit(one.limit, other.limit)
}
