/**
 * What time alone does to a lane. Bytes that were not included are claimed and sent again. All bytes of the lane that
 * are due or nearly due go in one batch, so a node that lost its mempool has the whole sequence back within one
 * interval. A transaction that waited too long is marked stuck: only the lowest nonce, because those above wait for it.
 */

import type { Policy } from '../../core/lane/policy.ts'
import { awaitsBlock } from '../../core/transaction/lose-nonce.ts'
import { type InFlight, isPreconfirmed } from '../../core/transaction/transaction.ts'
import type { LaneDraft } from '../lane/lane-draft.ts'

export interface Surroundings {
  /** Nonces beyond this are not sent again yet. */
  readonly window: number
  /** The lowest unmined nonce that is reserved for a caller. */
  readonly lowestReserved: number | null
  /** Since when the chain makes blocks without a break; null while it does not: then nothing is marked stuck. */
  readonly movingSince: number | null
}

export function keepAlive(draft: LaneDraft, now: number, policy: Policy, around: Surroundings): void {
  const { window, lowestReserved, movingSince } = around
  const unmined = draft.unmined().filter(awaitsBlock)
  const waiting = unmined.filter(isWaiting)
  // A suspended transaction keeps its nonce, and those above still wait for it.
  const lowest = Math.min(unmined[0]?.nonce ?? Number.POSITIVE_INFINITY, lowestReserved ?? Number.POSITIVE_INFINITY)
  for (const tx of waiting) {
    if (movingSince === null || now - Math.max(tx.waitingSince, movingSince) < policy.stuckAfterMs) continue
    const blockedByNonce = lowest < tx.nonce ? lowest : null
    draft.apply(tx, { type: 'time.passed', at: now, movingSince, blockedByNonce })
  }
  const inReach = unmined.slice(0, window).filter(isWaiting)
  if (!inReach.some((tx) => isDue(tx, now, policy))) return
  // Refused or unanswered bytes have their own pauses; they must not pull along bytes that a node has just accepted.
  const horizon = isOverdue(inReach, now, policy) ? now + policy.resubmitIntervalMs / 2 : now
  for (const tx of inReach) {
    if (tx.nextResubmitAt <= horizon || isDue(tx, now, policy)) draft.apply(tx, { type: 'resubmit.claimed', at: now })
  }
}

/** No pause is longer than the interval: a later time was set by another clock, or under another policy. */
function isDue(tx: InFlight, now: number, policy: Policy): boolean {
  return tx.nextResubmitAt <= now || tx.nextResubmitAt > now + policy.resubmitIntervalMs
}

function isWaiting(tx: InFlight): boolean {
  return awaitsBlock(tx) && !tx.suspended
}

/** Some bytes that a node once accepted have been quiet for a whole interval: the pool may have lost them all. */
function isOverdue(waiting: readonly InFlight[], now: number, policy: Policy): boolean {
  return waiting.some(
    (tx) => tx.nextResubmitAt <= now && now - (tx.lastSubmitAt ?? tx.allocatedAt) >= policy.resubmitIntervalMs,
  )
}

/** The latest time at which the lane must look again; null if only a signal can change anything. */
export function nextDueAt(
  sent: Iterable<InFlight>,
  policy: Policy,
  around: Pick<Surroundings, 'window' | 'movingSince'> & { readonly holdUntil: number | null },
): number | null {
  const { window, holdUntil, movingSince } = around
  let next = holdUntil ?? Number.POSITIVE_INFINITY
  let unmined = 0
  for (const tx of sent) {
    // In nonce order: nonces beyond the window wait for those inside it.
    if (awaitsBlock(tx) && ++unmined > window) break
    if (!isWaiting(tx)) continue
    next = Math.min(next, tx.nextResubmitAt)
    if (tx.state === 'STUCK' || tx.subState === 'blocked_by_predecessor' || isPreconfirmed(tx)) continue
    if (movingSince !== null) next = Math.min(next, Math.max(tx.waitingSince, movingSince) + policy.stuckAfterMs)
  }
  return next === Number.POSITIVE_INFINITY ? null : next
}
