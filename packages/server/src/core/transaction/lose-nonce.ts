/**
 * What happens to a transaction whose nonce a foreign transaction has finally used. Its own bytes can never be mined,
 * so nothing is at risk; the question is whether the work is done. If a foreign transaction had the same effect, ours
 * ends as that one ended. If it is unclear whether that one was the requested one, an operator decides. If the nonce was
 * used before ours took it, it was never ours: the count was stale, and ours takes another. Otherwise policy decides:
 * back to the queue, or STUCK until an operator chooses to requeue or to close it.
 */

import {
  describeDifference,
  describeNonceUser,
  judgeNonceUser,
  mayBeRequested,
  type NonceProof,
} from '../lane/nonce-user.ts'
import type { Policy } from '../lane/policy.ts'
import { isFill } from './fill.ts'
import { getStuck } from './get-stuck.ts'
import { isMakingWay, settleWayElsewhere } from './make-way.ts'
import { inLine } from './move-queued.ts'
import { withoutPlace, withoutStuck } from './shed-fields.ts'
import { move, noteOperator, type Step, stay } from './step.ts'
import {
  type CancelledOnChain,
  type Dropped,
  type Finished,
  findAttempt,
  type InFlight,
  inclusionOf,
  isCancelling,
  type TxError,
} from './transaction.ts'
import type { HistoryNote, TxEvent } from './tx-event.ts'

export const REVERTED: TxError = {
  code: 'reverted',
  message: 'the transaction was mined and reverted; its nonce is used',
}

type Ordered = Extract<TxEvent, { readonly type: 'operator.resolved' | 'operator.requeued' | 'operator.closed' }>

/** A foreign transaction has finally used its nonce, so sending again can never work. */
export function hasLostNonce(tx: InFlight): boolean {
  return tx.state === 'STUCK' && tx.subState === 'foreign_nonce'
}

/** A block may still include it, so those above wait for it, and its maximum cost stays reserved. */
export function awaitsBlock(tx: InFlight): boolean {
  return inclusionOf(tx) === null && !hasLostNonce(tx)
}

export function loseNonce(tx: InFlight, { at, proof }: Extract<TxEvent, { type: 'nonce.lost' }>, policy: Policy): Step {
  if (inclusionOf(tx) !== null) return stay(tx)
  const verdict = judgeNonceUser(tx, proof.user)
  if (verdict === 'stranger' || verdict === 'ours') return stay(tx)
  const { txHash: hash } = proof.user.inclusion
  const error = { code: 'foreign_nonce', message: describeNonceUser(proof.user) }
  const detail = { nonce: tx.nonce, message: error.message, hash }
  if (verdict === 'same' && !isFill(tx.intent)) return settle(tx, proof, at, noteSettled(proof))
  if (isMakingWay(tx)) return settleWayElsewhere(tx, at)
  // A transaction that was being cancelled, or only filled the gap, has nothing left to do.
  if (isCancelling(tx) || isFill(tx.intent)) {
    return move(end(tx, 'cancelled', error, at), { type: 'cancel.settled', cause: 'replaced', detail }, USED)
  }
  // If this may be the requested payment after all, nobody pays again unless an operator says so.
  if (!mayBeRequested(tx, proof.user)) {
    if (verdict === 'earlier') return requeue(tx, { type: 'nonce.lost', cause: 'stale_count', detail })
    if (policy.onForeignNonce === 'requeue') return requeue(tx, { type: 'nonce.lost', cause: 'replaced', detail })
  }
  if (hasLostNonce(tx)) return stay(tx)
  const why = { ...error, message: `${error.message}. ${describeDifference(tx, proof.user)}` }
  return getStuck(tx, 'foreign_nonce', why, { at, detail: { hash } })
}

/** Ends it as the chain shows: by its own bytes, or by a foreign transaction with the same effect. */
export function resolve(tx: InFlight, event: Ordered): Step {
  if (tx.state !== 'STUCK') return stay(tx)
  const { at, proof } = event
  const note = noteOperator(event)
  const named = { ...note, detail: { ...note.detail, hash: proof.user.inclusion.txHash } }
  const verdict = judgeNonceUser(tx, proof.user)
  if (verdict !== 'ours' && verdict !== 'same') return stay(tx)
  if (findAttempt(tx, proof.user.inclusion.txHash)?.kind !== 'cancel') return settle(tx, proof, at, named, 'resolved')
  const cancelled: CancelledOnChain = {
    ...withoutStuck(tx),
    state: 'CANCELLED',
    subState: 'cancelled',
    error: null,
    requestedReplacement: 'none',
    refusal: null,
    ...ending(proof, at),
  }
  return move(cancelled, named, USED)
}

/** The way out if the nonce is lost and the work was not done: another nonce. */
export function requeueLost(tx: InFlight, event: Ordered): Step {
  if (whyNotRequeued(tx) !== null || !isLostTo(tx, event.proof)) return stay(tx)
  const note = noteOperator(event)
  const detail = { ...note.detail, nonce: tx.nonce, hash: event.proof.user.inclusion.txHash }
  return requeue(tx, { ...note, detail })
}

/** The other way out: it is given up, and records what replaced it. */
export function closeLost(tx: InFlight, event: Ordered): Step {
  if (!hasLostNonce(tx) || !isLostTo(tx, event.proof)) return stay(tx)
  const note = noteOperator(event)
  const error = { code: 'replaced', message: describeNonceUser(event.proof.user) }
  const detail = { ...note.detail, nonce: tx.nonce, hash: event.proof.user.inclusion.txHash }
  return move(end(tx, 'replaced', error, event.at), { ...note, detail }, USED)
}

/** Null: it may get another nonce. */
export function whyNotRequeued(tx: InFlight): string | null {
  if (!hasLostNonce(tx)) return 'No other transaction used its nonce, so it may still be mined.'
  if (tx.intent.exactNonce !== undefined)
    return `The request asked for exactly nonce ${tx.intent.exactNonce}. Close it instead.`
  return null
}

function isLostTo(tx: InFlight, proof: NonceProof): boolean {
  const verdict = judgeNonceUser(tx, proof.user)
  return verdict === 'other' || verdict === 'earlier'
}

function settle(
  tx: InFlight,
  proof: NonceProof,
  at: number,
  note: HistoryNote,
  subState: 'final' | 'resolved' = 'final',
): Step {
  const { succeeded } = proof.user.inclusion
  const settled: Finished = {
    ...withoutStuck(tx),
    state: succeeded ? 'CONFIRMED' : 'FAILED_FINAL',
    subState,
    error: succeeded ? null : REVERTED,
    requestedReplacement: 'none',
    refusal: null,
    ...ending(proof, at),
  }
  return move(settled, note, USED)
}

function noteSettled({ user: { inclusion }, confirmations }: NonceProof): HistoryNote {
  const { txHash: hash, blockNumber, succeeded } = inclusion
  const cause = succeeded ? 'confirmed' : 'failed_final'
  const detail = { hash, blockNumber, confirmations: confirmations.length, foreign: true }
  return { type: 'finality.reached', cause, detail }
}

function ending({ user: { inclusion }, confirmations }: NonceProof, at: number) {
  return { inclusion, confirmations, minedAt: at, finalAt: at }
}

function requeue(tx: InFlight, note: HistoryNote): Step {
  return move({ ...withoutPlace(tx), ...inLine(tx.suspended), state: 'QUEUED' }, note, USED)
}

function end(tx: InFlight, subState: 'cancelled' | 'replaced', error: TxError, at: number): Dropped {
  return { ...withoutPlace(tx), state: 'CANCELLED', subState, error, nonce: null, finalAt: at }
}

const USED = { type: 'nonce.used' } as const
