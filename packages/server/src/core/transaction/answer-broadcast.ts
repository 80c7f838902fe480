/**
 * What the nodes' answer to our bytes means for their transaction. Held bytes are TRACKING. A refused transaction keeps
 * its state, the refusal is counted, and the send is retried with growing pauses until policy marks it STUCK. A lost or
 * unclear answer is neither: a node may have the bytes, so nothing is concluded and the same bytes are sent again soon.
 * Nor is a gap: the node lacks a lower nonce, and it is the transaction with that nonce that may get stuck.
 *
 * A refusal by every node does not prove that none of them has the bytes. If policy may replace, the transaction then
 * makes way (see make-way.ts). It ends at once, and its nonce is free for another, only if the bytes are invalid by the
 * rules of the chain: according to every node, by our own arithmetic, and as the first answer ever for this nonce.
 */

import { backOff } from '../back-off.ts'
import type { SendOutcome } from '../chain/send-outcome.ts'
import { type Policy, replacesByItself } from '../lane/policy.ts'
import { isRefusedEnough, makeWay, mayMakeWay, withdrawRefusal } from './make-way.ts'
import { isProvenInvalid } from './prove-invalid.ts'
import { besideUnraised, whyNotRaised } from './replace-sent.ts'
import { withoutStuck } from './shed-fields.ts'
import { move, type Step, stay } from './step.ts'
import {
  type Attempt,
  type Dropped,
  findAttempt,
  type InFlight,
  newestAttempt,
  type SubState,
  type Tracking,
} from './transaction.ts'
import type { TxEvent } from './tx-event.ts'

const FIRST_PAUSE_MS = 1_000

export function answerBroadcast(
  tx: InFlight,
  event: Extract<TxEvent, { type: 'broadcast.answered' }>,
  policy: Policy,
): Step {
  if (tx.state === 'TRACKING' && tx.inclusion !== null) return stay(tx)
  const attempt = findAttempt(tx, event.hash)
  if (attempt === null) return stay(tx)
  const { outcome, at } = event
  const submitCount = tx.submitCount + 1
  const answered = (): InFlight => ({ ...tx, lastSubmitAt: at, submitCount })
  const maybeHeld = (): InFlight => ({ ...tx, lastSubmitAt: at, submitCount, mayBeHeld: true })
  // Its price was raised since: a second raise would answer a refusal of the first price.
  if (isPriceRefusal(outcome) && newestAttempt(tx)?.hash !== event.hash) return move(maybeHeld(), noteAnswer(event))
  switch (outcome.type) {
    case 'accepted':
    case 'already_known':
      return held(takenUp(maybeHeld(), attempt), event, policy, 'none')
    case 'nonce_too_low':
      return held(maybeHeld(), event, policy, 'lookup')
    case 'ambiguous':
      return retrySoon(maybeHeld(), event, policy)
    case 'rate_limited':
      return retrySoon(answered(), event, policy)
    case 'nonce_gap':
      return missLower(answered(), event, outcome, policy)
    case 'replacement_underpriced':
      return refused(maybeHeld(), event, outcome, policy)
    case 'invalid': {
      const isProven = isProvenInvalid(outcome.reason, attempt, tx.intent)
      if (isProven && replacesByItself(policy) && isFirstAnswer(tx)) return reject(tx, event, outcome)
      return refusedOutright(answered(), event, { outcome, isProven }, policy)
    }
    case 'refused':
      return refusedOutright(answered(), event, { outcome, isProven: false }, policy)
    default:
      return refused(answered(), event, outcome, policy)
  }
}

type Answer = Extract<TxEvent, { type: 'broadcast.answered' }>
type Refused = SendOutcome & { readonly message: string }
type RefusedOutright = Extract<SendOutcome, { type: 'refused' | 'invalid' }>

interface Verdict {
  readonly outcome: RefusedOutright
  /** Our own arithmetic confirms it. */
  readonly isProven: boolean
}

function isPriceRefusal({ type }: SendOutcome): boolean {
  return type === 'underpriced' || type === 'replacement_underpriced'
}

/** Nothing else was ever sent for this nonce, and nothing was sent without an answer. */
function isFirstAnswer(tx: InFlight): boolean {
  if (tx.state !== 'ALLOCATED' || tx.submitCount > 0 || tx.mayBeHeld) return false
  return tx.attempts.filter((attempt) => attempt.nonce === tx.nonce).length === 1
}

function reject(tx: InFlight, event: Answer, outcome: Extract<SendOutcome, { type: 'invalid' }>): Step {
  const { id, intent, version, suspended, createdAt, attempts } = tx
  const ended: Dropped = {
    id,
    intent,
    version,
    suspended,
    createdAt,
    attempts,
    state: 'CANCELLED',
    subState: 'rejected',
    error: toError(outcome),
    nonce: null,
    finalAt: event.at,
  }
  const detail = { hash: event.hash, nonce: tx.nonce, nodeSaid: outcome.message }
  return move(ended, { type: 'broadcast.rejected', cause: outcome.reason, detail }, { type: 'nonce.freed' })
}

/** Neither price nor patience helps: if it may not make way, it is STUCK sooner or later. */
function refusedOutright(tx: InFlight, event: Answer, said: Verdict, policy: Policy): Step {
  const { outcome, isProven } = said
  const refusals = tx.refusals + 1
  if (mayMakeWay(tx, policy) && (isProven || isRefusedEnough(tx, refusals, isPartial(outcome)))) {
    return makeWay({ ...tx, refusals }, { ...toError(outcome), mayPass: false }, outcome.reason)
  }
  return refused(tx, event, outcome, policy)
}

function isPartial(outcome: SendOutcome): boolean {
  return (outcome.type === 'refused' || outcome.type === 'invalid') && outcome.isPartial === true
}

function takenUp(tx: InFlight, attempt: Attempt): InFlight {
  return attempt.kind === 'cancel' ? tx : withdrawRefusal(tx)
}

function held(sent: InFlight, event: Answer, policy: Policy, follow: 'none' | 'lookup'): Step {
  const tx = { ...sent, submittedAt: sent.submittedAt ?? event.at }
  const effects = follow === 'lookup' ? [{ type: 'lookup' } as const] : []
  // The node may hold the bytes and still not mine them at their price: keep the reason why the price is not raised.
  const nextResubmitAt = event.at + policy.resubmitIntervalMs
  const note = noteAnswer(event)
  // A node that accepts the bytes once more does not cure a long wait or a nonce used by a foreign transaction.
  if (tx.state === 'STUCK' && (tx.subState === 'no_inclusion' || tx.subState === 'foreign_nonce')) {
    return move({ ...tx, nextResubmitAt }, note, ...effects)
  }
  // If it is accepted after a gap, or after being stuck, the wait for a block begins now.
  const startsAnew = tx.state === 'STUCK' || tx.error?.code === 'nonce_gap'
  const tracking: Tracking = {
    ...withoutStuck(tx),
    error: whyNotRaised(tx.error),
    refusals: 0,
    nextResubmitAt,
    state: 'TRACKING',
    subState: heldSubState(tx),
    waitingSince: startsAnew ? event.at : tx.waitingSince,
    inclusion: null,
    minedAt: null,
  }
  return move(tracking, note, ...effects)
}

/** A pool that keeps the bytes does not mine them: a wait for a lower nonce, or a promise, continues. */
function heldSubState(tx: InFlight): SubState {
  if (tx.suspended) return 'suspended'
  if (tx.subState === 'fee_above_cap' || tx.subState === 'preconfirmed') return tx.subState
  if (tx.error?.unraised?.code === 'fee_above_cap') return 'fee_above_cap'
  const waitsForLower = tx.subState === 'blocked_by_predecessor' && tx.error?.code !== 'nonce_gap'
  return waitsForLower ? tx.subState : 'pending'
}

function retrySoon(tx: InFlight, event: Answer, policy: Policy): Step {
  return move({ ...tx, nextResubmitAt: event.at + pauseAfter(tx.submitCount, policy) }, noteAnswer(event))
}

/** Counts nothing: only time decides about a transaction whose predecessor is missing somewhere. */
function missLower(tx: InFlight, event: Answer, outcome: Refused, policy: Policy): Step {
  const next = { ...tx, nextResubmitAt: event.at + pauseAfter(tx.submitCount, policy) }
  // A transaction that is known to wait for one of ours is bound to meet a gap: that is not news, and not the node's
  // fault.
  const expected = tx.subState === 'blocked_by_predecessor' && tx.error?.code !== 'nonce_gap'
  if (expected || tx.state === 'STUCK') return move(next, noteAnswer(event))
  const error = besideUnraised(toError(outcome), tx.error)
  const subState = tx.suspended ? tx.subState : 'blocked_by_predecessor'
  return move({ ...next, subState, error }, noteAnswer(event))
}

function refused(tx: InFlight, event: Answer, outcome: Refused, policy: Policy): Step {
  const refusals = tx.refusals + 1
  const refusal = toError(outcome)
  // The reason why it is stuck stays its error; the history records a later refusal.
  const isStuckElse = tx.state === 'STUCK' && tx.subState !== 'rejected_by_node'
  const error = isStuckElse ? tx.error : besideUnraised(refusal, tx.error)
  const next = { ...tx, refusals, error, nextResubmitAt: event.at + pauseAfter(refusals, policy) }
  // A full pool is not the transaction's fault: only time decides about one that waits for room.
  const mayGoOn = refusals < policy.maxSubmitAttempts || outcome.type === 'pool_full'
  const hopeless = !mayGoOn || isHopeless(outcome, policy)
  if (!hopeless || tx.state === 'STUCK') {
    const subState = tx.suspended || tx.state === 'STUCK' ? tx.subState : subStateOf(outcome)
    return move({ ...next, subState }, noteAnswer(event))
  }
  const { inclusion: _, minedAt: __, ...rest } = { inclusion: null, minedAt: null, ...next }
  return move(
    { ...rest, state: 'STUCK', subState: 'rejected_by_node', stuckAt: event.at },
    {
      type: 'stuck.declared',
      cause: refusal.code,
      detail: { message: refusal.message, nodeSaid: outcome.message, nonce: tx.nonce },
    },
    { type: 'alarm', cause: refusal.code },
  )
}

/** The same bytes will be refused again, and policy signs no others without an order. */
function isHopeless(outcome: SendOutcome, policy: Policy): boolean {
  return (outcome.type === 'refused' || outcome.type === 'invalid') && !replacesByItself(policy)
}

function subStateOf(outcome: SendOutcome): SubState {
  if (outcome.type === 'insufficient_funds') return 'waiting_for_funds'
  return 'rejected_by_node'
}

function pauseAfter(times: number, policy: Policy): number {
  return backOff(times, { first: FIRST_PAUSE_MS, max: policy.resubmitIntervalMs })
}

function noteAnswer(event: Answer) {
  const said = 'message' in event.outcome ? { nodeSaid: event.outcome.message } : {}
  return { type: event.type, cause: event.outcome.type, detail: { hash: event.hash, ...said } }
}

/** `rejected` for every refusal that concerns the bytes as such; the history distinguishes them. */
function toError(outcome: Refused) {
  const code = outcome.type === 'refused' || outcome.type === 'invalid' ? 'rejected' : outcome.type
  return { code, message: explainRefusal(outcome), reason: outcome.message }
}

const WHY_REFUSED: Readonly<Record<RefusedOutright['reason'], string>> = {
  gas_too_low: ': its gas limit is too low',
  fee_fields: ': its fee fields contradict each other',
  malformed: ': they cannot read it',
  gas_limit: ': its gas limit is above what they accept',
  oversized: ': it is larger than they accept',
  node_fee_cap: ': its fee is above their own cap',
  unsupported_type: ': they do not support its type',
  not_permitted: ': they do not allow it',
  other: '',
}

function explainRefusal(outcome: SendOutcome): string {
  switch (outcome.type) {
    case 'replacement_underpriced':
      return 'the RPC node already has a transaction with this nonce, and the new price is not high enough to replace it'
    case 'underpriced':
      return 'the offered price is below what the RPC node accepts right now'
    case 'insufficient_funds':
      return 'the account cannot pay for gas and value'
    case 'nonce_gap':
      return 'the RPC node is missing a lower nonce of this account'
    case 'pool_full':
      return 'the mempool of the RPC node is full'
    case 'invalid':
    case 'refused':
      return `every RPC node${isPartial(outcome) ? ' that answered' : ''} refused it${WHY_REFUSED[outcome.reason]}`
    default:
      return 'the RPC node did not accept the transaction'
  }
}
