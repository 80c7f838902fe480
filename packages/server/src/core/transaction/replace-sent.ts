/**
 * What moves a sent transaction towards a replacement: the request for one, the new attempt itself, and the cap that
 * forbids it. The requester stores the request (an operator on any node, the deadline); only the lane's owner signs. A
 * new attempt joins the earlier ones under the same nonce: all are watched, and whichever is mined counts.
 */
import { formatGwei } from '../amount.ts'
import { isSameLimit } from '../fees/fee-limit.ts'
import { type Policy, replacesByItself } from '../lane/policy.ts'
import { isFill } from './fill.ts'
import { move, noteOperator, type Step, stay } from './step.ts'
import {
  findAttempt,
  type InFlight,
  isCancelling,
  lacksEmpty,
  newestAttempt,
  type SubState,
  type TxError,
} from './transaction.ts'
import type { TxEvent } from './tx-event.ts'

/** Null: a replacement is allowed. Otherwise why it is not, in words for an operator. */
export function whyNotReplaced(tx: InFlight, action: 'cancel' | 'speed-up', policy: Policy): string | null {
  const what = action === 'cancel' ? 'Cancelling' : 'Speeding up'
  if (policy.mayReplace === 'never') {
    return `${what} after a nonce is taken needs a replacement transaction, and the signer's policy forbids that (mayReplace: never).`
  }
  if (tx.state === 'TRACKING' && tx.inclusion !== null) {
    return `It is in block ${tx.inclusion.blockNumber}, so only the chain can change it now.`
  }
  if (tx.state === 'STUCK' && tx.subState === 'foreign_nonce') {
    return `Nonce ${tx.nonce} was used by a transaction that Drover did not sign. Requeue or close this one.`
  }
  if (action === 'cancel') {
    if (isFill(tx.intent))
      return 'It is already an empty transaction that fills a gap, and the transactions behind it need it.'
    // A transaction that makes way may still go back to the queue: a cancel is an end.
    if (tx.refusal !== null) return null
    return isCancelling(tx) ? 'It is already being cancelled: an empty transaction is taking its nonce.' : null
  }
  if (tx.suspended) return 'It is suspended. Resume it first.'
  return tx.requestedReplacement === 'none' ? null : 'A replacement was already requested.'
}

export function requestSpeedUp(
  tx: InFlight,
  event: Extract<TxEvent, { type: 'operator.sped_up' }>,
  policy: Policy,
): Step {
  if (whyNotReplaced(tx, 'speed-up', policy) !== null) return stay(tx)
  return move({ ...tx, requestedReplacement: 'speed_up' }, noteOperator(event))
}

/** Cancelling means sending, so it ends a suspension: the suspended bytes are not the ones that are sent. */
export function requestCancel(
  tx: InFlight,
  event: Extract<TxEvent, { type: 'operator.cancelled' }>,
  policy: Policy,
): Step {
  if (whyNotReplaced(tx, 'cancel', policy) !== null) return stay(tx)
  const isHeld = tx.suspended || tx.subState === 'making_way'
  const lifted = isHeld ? { suspended: false, subState: sendable(tx) } : {}
  const isSigned = newestAttempt(tx)?.kind === 'cancel'
  return move(
    { ...tx, ...lifted, refusal: null, requestedReplacement: isSigned ? tx.requestedReplacement : 'cancel' },
    noteOperator(event),
  )
}

/** Too late for a caller that set a deadline: an empty transaction uses up the nonce, if that is mined first. */
export function requestExpiry(
  tx: InFlight,
  event: Extract<TxEvent, { type: 'deadline.passed' }>,
  policy: Policy,
): Step {
  const { validUntil } = tx.intent
  // A transaction that makes way is already on its way out, and has a reason of its own.
  if (validUntil === null || event.at < validUntil || tx.refusal !== null) return stay(tx)
  // Not ordered: if replacements need an order, the caller's deadline alone replaces nothing.
  if (!replacesByItself(policy)) return stay(tx)
  if (whyNotReplaced(tx, 'cancel', policy) !== null) return stay(tx)
  return move(
    { ...tx, requestedReplacement: 'cancel' },
    { type: event.type, cause: 'expired', detail: { validUntil, nonce: tx.nonce } },
  )
}

export function addAttempt(
  tx: InFlight,
  { at, attempt }: Extract<TxEvent, { type: 'attempt.added' }>,
  policy: Policy,
): Step {
  if (!mayBeReplaced(tx, policy)) return stay(tx)
  if (attempt.nonce !== tx.nonce || findAttempt(tx, attempt.hash) !== null) return stay(tx)
  // A mere bump does not satisfy a requested cancel.
  const requestedReplacement =
    tx.requestedReplacement === 'cancel' && attempt.kind !== 'cancel' ? tx.requestedReplacement : 'none'
  const { stuckAt, ...rest } = { stuckAt: null, ...tx }
  const added = {
    ...rest,
    attempts: [...tx.attempts, attempt],
    requestedReplacement,
    error: null,
    refusals: 0,
    // The bytes are sent with this step; a lost answer is retried as after any send.
    nextResubmitAt: at + policy.resubmitIntervalMs,
    // A replacement is a fresh start for a STUCK transaction, and part of the same wait for any other.
    waitingSince: stuckAt === null ? tx.waitingSince : at,
  } as const
  const next: InFlight =
    tx.state === 'ALLOCATED'
      ? { ...added, state: 'ALLOCATED', subState: 'signed' }
      : { ...added, state: 'TRACKING', subState: 'stale', inclusion: null, minedAt: null }
  return move(
    next,
    { type: 'attempt.added', cause: attempt.kind, detail: { hash: attempt.hash, nonce: tx.nonce, fees: attempt.fees } },
    { type: 'broadcast' },
  )
}

/** Reported once for each limit; the same bytes are still sent. */
export function capFee(tx: InFlight, event: Extract<TxEvent, { type: 'fee.capped' }>, policy: Policy): Step {
  if (!mayBeReplaced(tx, policy)) return stay(tx)
  const { neededWei, capWei, limit } = event
  // While it waits for its empty transaction, the same bytes are sent only if the cap itself is its error.
  const known = lacksEmpty(tx) ? tx.error : whyNotRaised(tx.error)
  if (known?.code === 'fee_above_cap' && isSameLimit(known.limit, limit)) return stay(tx)
  const allowed = event.allowed ?? `${formatGwei(capWei, neededWei)} per gas`
  const message = `a replacement would have to offer ${formatGwei(neededWei, capWei)} per gas, but the limit is ${allowed}; Drover keeps sending the same bytes`
  return move(
    {
      ...tx,
      subState: tx.state === 'STUCK' ? tx.subState : 'fee_above_cap',
      error: { code: 'fee_above_cap', message, ...(limit && { limit }) },
    },
    { type: event.type, cause: 'fee_above_cap', detail: { nonce: tx.nonce, neededWei, capWei } },
  )
}

/**
 * Reported once for each reason, and it ends a requested speed-up. The same bytes continue, so the operator who ordered
 * the bump can cancel instead, or order it again once the reason is gone.
 */
export function refuseBump(tx: InFlight, event: Extract<TxEvent, { type: 'bump.refused' }>, policy: Policy): Step {
  if (!mayBeReplaced(tx, policy) || isCancelling(tx)) return stay(tx)
  const requestedReplacement = tx.requestedReplacement === 'speed_up' ? 'none' : tx.requestedReplacement
  const isKnown = whyNotRaised(tx.error)?.code === event.error.code
  if (isKnown && requestedReplacement === tx.requestedReplacement) return stay(tx)
  const { code, message, reason } = event.error
  return move(
    { ...tx, requestedReplacement, error: event.error },
    { type: event.type, cause: code, detail: { nonce: tx.nonce, message, ...(reason !== undefined && { reason }) } },
  )
}

/** Why a bump was not signed. */
const BUMP_REFUSALS = ['bump_would_revert', 'bump_unaffordable', 'bump_held_by_rule', 'price_fixed_at_zero']

function isBumpRefusal(error: TxError | null): boolean {
  return error !== null && BUMP_REFUSALS.includes(error.code)
}

/** Why its price is not raised. A node that refuses the same bytes once more does not change that. */
export function whyNotRaised(error: TxError | null): TxError | null {
  if (error === null) return null
  return error.code === 'fee_above_cap' || isBumpRefusal(error) ? error : (error.unraised ?? null)
}

/** A new error beside the reason why its price is not raised. */
export function besideUnraised(error: TxError, before: TxError | null): TxError {
  const kept = whyNotRaised(before)
  if (kept === null) return error
  const { code, message, reason, limit } = kept
  return {
    ...error,
    unraised: { code, message, ...(reason !== undefined && { reason }), ...(limit !== undefined && { limit }) },
  }
}

/** Other bytes were requested under this nonce, or an empty transaction is already out and is carried through. */
export function isOrdered(tx: InFlight): boolean {
  return tx.requestedReplacement !== 'none' || newestAttempt(tx)?.kind === 'cancel'
}

function mayBeReplaced(tx: InFlight, policy: Policy): boolean {
  if (policy.mayReplace === 'never' || tx.suspended) return false
  if (!replacesByItself(policy) && !isOrdered(tx)) return false
  if (tx.state === 'STUCK') return tx.subState !== 'foreign_nonce'
  return tx.state === 'ALLOCATED' || tx.inclusion === null
}

function sendable(tx: InFlight): SubState {
  if (tx.state === 'STUCK') return tx.subState
  return tx.state === 'ALLOCATED' ? 'signed' : 'stale'
}
