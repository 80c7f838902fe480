/**
 * The one function that moves a transaction. It is total: an event that is late, repeated or does not apply changes
 * nothing and returns the very same object, so callers may replay events when in doubt. A terminal state never changes.
 * Nothing here reads the clock: every event carries its time.
 */

import type { Inclusion } from '../chain/finality.ts'
import type { Hash } from '../hex.ts'
import { type Policy, replacesByItself } from '../lane/policy.ts'
import { answerBroadcast } from './answer-broadcast.ts'
import { getStuck } from './get-stuck.ts'
import { closeLost, hasLostNonce, loseNonce, REVERTED, requeueLost, resolve } from './lose-nonce.ts'
import { isMakingWay, makeWayForPrice, nameWay, settleWay, withdrawRefusal } from './make-way.ts'
import { moveQueued } from './move-queued.ts'
import { losePreconfirmation, preconfirm } from './preconfirm.ts'
import {
  addAttempt,
  besideUnraised,
  capFee,
  refuseBump,
  requestCancel,
  requestExpiry,
  requestSpeedUp,
} from './replace-sent.ts'
import { withoutStuck } from './shed-fields.ts'
import { move, noteOperator, type Step, stay } from './step.ts'
import {
  type Attempt,
  findAttempt,
  type InFlight,
  isPreconfirmed,
  isTerminal,
  type SubState,
  type Tracking,
  type Transaction,
  type TxError,
} from './transaction.ts'
import type { TxEvent } from './tx-event.ts'

const EXPIRED_AFTER_SENDING: TxError = {
  code: 'expired',
  message: 'validUntil passed after it was sent; an empty transaction took its nonce instead',
}

export function transition(tx: Transaction, event: TxEvent, policy: Policy): Step {
  if (isTerminal(tx)) return stay(tx)
  return tx.state === 'QUEUED' ? moveQueued(tx, event, policy) : nameWay(moveInFlight(tx, event, policy))
}

function moveInFlight(tx: InFlight, event: TxEvent, policy: Policy): Step {
  switch (event.type) {
    case 'broadcast.answered':
      return answerBroadcast(tx, event, policy)
    case 'resubmit.claimed':
      return claimResubmit(tx, event.at, policy)
    case 'attempt.added':
      return addAttempt(tx, event, policy)
    case 'way.made':
      return makeWayForPrice(tx, event, policy)
    case 'fee.capped':
      return capFee(tx, event, policy)
    case 'bump.refused':
      return refuseBump(tx, event, policy)
    case 'deadline.passed':
      return requestExpiry(tx, event, policy)
    case 'operator.cancelled':
      return requestCancel(tx, event, policy)
    case 'operator.sped_up':
      return requestSpeedUp(tx, event, policy)
    case 'preconfirmation.seen':
      return preconfirm(tx, event)
    case 'preconfirmation.lost':
      return losePreconfirmation(tx, event)
    case 'inclusion.seen':
      return include(tx, event.inclusion, event.at)
    case 'inclusion.reorged':
      return withdrawInclusion(tx, event)
    case 'confirmations.replaced':
      if (!isMinedIn(tx, event.blockHash)) return stay(tx)
      return move(
        { ...tx, newForks: tx.newForks + 1 },
        { type: event.type, cause: 'new_fork', detail: { newFork: true, confirmations: event.confirmations } },
      )
    case 'finality.reached':
      return finish(tx, event)
    case 'nonce.lost':
      return loseNonce(tx, event, policy)
    case 'time.passed':
      return waitOn(tx, event, policy)
    case 'operator.suspended':
      if (tx.suspended || isMined(tx) || hasLostNonce(tx)) return stay(tx)
      return move({ ...tx, suspended: true, subState: heldBack(tx) }, noteOperator(event))
    case 'operator.resumed':
      return resume(tx, event)
    case 'operator.retried':
      if (isMined(tx) || tx.suspended || hasLostNonce(tx)) return stay(tx)
      return move(restart(tx, event.at), noteOperator(event), { type: 'broadcast' })
    case 'operator.resolved':
      return resolve(tx, event)
    case 'operator.requeued':
      return requeueLost(tx, event)
    case 'operator.closed':
      return closeLost(tx, event)
    default:
      return stay(tx)
  }
}

function isMined(tx: InFlight): tx is Tracking & { readonly inclusion: Inclusion } {
  return tx.state === 'TRACKING' && tx.inclusion !== null
}

/** The event is about one block; if the transaction is in another by now, the event does not apply. */
function isMinedIn(tx: InFlight, blockHash: Hash): tx is Tracking & { readonly inclusion: Inclusion } {
  return isMined(tx) && tx.inclusion.blockHash === blockHash
}

/** A STUCK transaction keeps the name of its cause; the flag alone shows that it is suspended as well. */
function heldBack(tx: InFlight): SubState {
  return tx.state === 'STUCK' ? tx.subState : 'suspended'
}

/** The sub-state of a transaction that has bytes to send and no obstacle to sending them. */
function readyToSend(tx: InFlight): SubState {
  if (tx.state === 'STUCK') return tx.subState
  return tx.state === 'ALLOCATED' ? 'signed' : 'stale'
}

function resume(tx: InFlight, event: Extract<TxEvent, { type: 'operator.resumed' }>): Step {
  if (!tx.suspended) return stay(tx)
  if (isMined(tx) || hasLostNonce(tx)) return move({ ...tx, suspended: false }, noteOperator(event))
  return move(
    { ...tx, suspended: false, subState: readyToSend(tx), waitingSince: event.at, nextResubmitAt: event.at },
    noteOperator(event),
    { type: 'broadcast' },
  )
}

/** The claim is stored before the bytes are sent again, so no second node repeats the same side effect. */
function claimResubmit(claimed: InFlight, at: number, policy: Policy): Step {
  if (isMined(claimed) || claimed.suspended || hasLostNonce(claimed)) return stay(claimed)
  const tx = standBy(claimed, policy)
  const isQuiet = tx.state === 'TRACKING' && (tx.subState === 'pending' || isPreconfirmed(tx))
  const subState = isQuiet ? 'stale' : tx.subState
  return move(
    {
      ...tx,
      subState,
      nextResubmitAt: at + policy.resubmitIntervalMs,
      // Bytes that are sent again without a recorded answer may have reached a node before: from here on no refusal can
      // prove that none ever had them.
      submitCount: Math.max(1, tx.submitCount),
      mayBeHeld: tx.mayBeHeld || tx.submitCount === 0,
    },
    { type: 'resubmit.claimed', cause: null, detail: { nonce: tx.nonce } },
    { type: 'broadcast' },
  )
}

/**
 * If a policy that forbids replacements was set while it was making way, the empty transaction will never be signed,
 * and it relies on its own bytes again.
 */
function standBy(tx: InFlight, policy: Policy): InFlight {
  const kept = replacesByItself(policy) ? tx : withdrawRefusal(tx)
  return kept === tx || kept.subState !== 'making_way' ? kept : { ...kept, subState: readyToSend(kept) }
}

function include(tx: InFlight, seen: Inclusion, at: number): Step {
  const attempt = findAttempt(tx, seen.txHash)
  if (attempt === null) return stay(tx)
  const inclusion = withPrice(seen, attempt)
  const previous = isMined(tx) ? tx.inclusion : null
  if (previous?.blockHash === inclusion.blockHash && previous.txHash === inclusion.txHash) return stay(tx)
  const moved = previous !== null
  return move(
    {
      ...withoutStuck(tx),
      state: 'TRACKING',
      subState: 'mined',
      error: null,
      refusals: 0,
      inclusion,
      minedAt: at,
      submittedAt: tx.submittedAt ?? at,
      mayBeHeld: true,
      newForks: tx.newForks + (moved ? 1 : 0),
    },
    {
      type: 'inclusion.seen',
      cause: moved ? 'new_fork' : null,
      detail: {
        hash: inclusion.txHash,
        blockNumber: inclusion.blockNumber,
        blockHash: inclusion.blockHash,
        succeeded: inclusion.succeeded,
        newFork: moved,
        ...(moved ? { confirmations: [] } : {}),
      },
    },
  )
}

/** Nodes from before the fee market do not report the price paid per gas: it was the transaction's offer. */
function withPrice(inclusion: Inclusion, { fees }: Attempt): Inclusion {
  const isUntold = inclusion.effectiveGasPrice === 0n && fees.type === 'legacy'
  return isUntold ? { ...inclusion, effectiveGasPrice: fees.gasPrice } : inclusion
}

function withdrawInclusion(tx: InFlight, { at, blockHash }: Extract<TxEvent, { type: 'inclusion.reorged' }>): Step {
  if (!isMinedIn(tx, blockHash)) return stay(tx)
  return move(
    {
      ...tx,
      inclusion: null,
      minedAt: null,
      subState: tx.suspended ? 'suspended' : 'reorged',
      waitingSince: at,
      nextResubmitAt: at,
      newForks: tx.newForks + 1,
    },
    {
      type: 'inclusion.reorged',
      cause: 'new_fork',
      detail: {
        blockNumber: tx.inclusion.blockNumber,
        blockHash: tx.inclusion.blockHash,
        newFork: true,
        confirmations: [],
      },
    },
    ...(tx.suspended ? [] : [{ type: 'broadcast' } as const]),
  )
}

function finish(tx: InFlight, event: Extract<TxEvent, { type: 'finality.reached' }>): Step {
  if (!isMinedIn(tx, event.blockHash)) return stay(tx)
  const { inclusion } = tx
  const attempt = findAttempt(tx, inclusion.txHash)
  const replaced = attempt?.kind === 'cancel'
  if (replaced && isMakingWay(tx)) return settleWay(tx, { ...event, inclusion })
  const { validUntil } = tx.intent
  const isLate = replaced && validUntil !== null && attempt.createdAt >= validUntil
  const state = replaced ? 'CANCELLED' : inclusion.succeeded ? 'CONFIRMED' : 'FAILED_FINAL'
  return move(
    {
      ...tx,
      state,
      subState: replaced ? 'cancelled' : 'final',
      error: state === 'FAILED_FINAL' ? REVERTED : isLate ? EXPIRED_AFTER_SENDING : null,
      inclusion,
      minedAt: tx.minedAt ?? event.at,
      confirmations: event.confirmations,
      finalAt: event.at,
      requestedReplacement: 'none',
      refusal: null,
    },
    {
      type: event.type,
      cause: state.toLowerCase(),
      detail: { hash: inclusion.txHash, blockNumber: inclusion.blockNumber, confirmations: event.confirmations.length },
    },
    { type: 'nonce.used' },
  )
}

function waitOn(tx: InFlight, event: Extract<TxEvent, { type: 'time.passed' }>, policy: Policy): Step {
  if (isMined(tx) || tx.state === 'STUCK' || tx.suspended) return stay(tx)
  // A broken promise is withdrawn, or the next send removes it; time continues from there.
  const since = Math.max(tx.waitingSince, event.movingSince ?? 0)
  if (isPreconfirmed(tx) || event.at - since < policy.stuckAfterMs) return stay(tx)
  if (event.blockedByNonce !== null) {
    const gap = tx.error?.code === 'nonce_gap'
    if (tx.subState === 'blocked_by_predecessor' && !gap) return stay(tx)
    return move(
      // The cause of the gap is known now: it is not the node's fault, and the wait restarts when the gap closes.
      { ...tx, subState: 'blocked_by_predecessor', error: gap ? null : tx.error },
      { type: 'inclusion.blocked', cause: 'blocked_by_predecessor', detail: { nonce: event.blockedByNonce } },
    )
  }
  // If a node misses a lower nonce although none of ours is missing, that is the node's fault, and no reason to restart
  // the wait.
  if (tx.subState === 'blocked_by_predecessor' && tx.error?.code !== 'nonce_gap') {
    return move(
      { ...tx, subState: readyToSend(tx), waitingSince: event.at },
      { type: 'inclusion.unblocked', cause: null, detail: { nonce: tx.nonce } },
    )
  }
  const waited = Math.round((event.at - since) / 1000)
  const error = { code: 'no_inclusion', message: `not mined after ${waited} s` }
  return getStuck(tx, 'no_inclusion', besideUnraised(error, tx.error), event)
}

function restart(tx: InFlight, at: number): Tracking | InFlight {
  const fresh = { error: null, refusals: 0, waitingSince: at, nextResubmitAt: at } as const
  if (tx.state === 'ALLOCATED') return { ...tx, ...fresh, subState: 'signed' }
  return { ...withoutStuck(tx), ...fresh, state: 'TRACKING', subState: 'stale', inclusion: null, minedAt: null }
}
