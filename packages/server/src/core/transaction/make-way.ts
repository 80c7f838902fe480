/**
 * Making way. Every node refuses the bytes of a transaction, but that does not prove that none of them has the bytes: a
 * refusal can be a node's own rule, and a node can forward what it refuses. So the transaction keeps its nonce, an
 * empty transaction of ours is sent under the same one, and both are watched. If the original is mined after all, that
 * counts. If the empty one is mined and final, the original never can be: the transaction ends as rejected, or goes
 * back to the queue if the refusal was temporary. Those behind it continue either way.
 *
 * The refusal is stored with the transaction, so the next owner of the lane continues with it.
 */

import type { Confirmation, Inclusion } from '../chain/finality.ts'
import { type Policy, replacesByItself } from '../lane/policy.ts'
import { isFill } from './fill.ts'
import { inLine } from './move-queued.ts'
import { withoutPlace } from './shed-fields.ts'
import { move, type Step, stay } from './step.ts'
import {
  type Attempt,
  type CancelledOnChain,
  type Dropped,
  type InFlight,
  isCancelling,
  type Refusal,
  type SubState,
  type TxError,
} from './transaction.ts'
import type { TxEvent } from './tx-event.ts'

/** Refusals in a row that are needed if a node may hold the bytes, or if only the price is refused. */
export const REFUSALS_BEFORE_WAY = 3

/** If some nodes were away and may accept what others refuse: with growing pauses, as long as a node rests at most. */
const REFUSALS_WITHOUT_ALL = 5

/** An empty transaction costs gas each time: after this many the refusal counts as permanent. */
const MAX_RETURNS = 2

/**
 * It is not on its way out already, it is not empty itself, and policy replaces bytes without an order. A transaction
 * that is STUCK by refusals may make way too: nothing else is left to try. If it is STUCK for another reason, it waits
 * for a decision.
 */
export function mayMakeWay(tx: InFlight, policy: Policy): boolean {
  if (tx.state === 'STUCK' && tx.subState !== 'rejected_by_node') return false
  return replacesByItself(policy) && !isFill(tx.intent) && !isCancelling(tx)
}

/** Bytes that no node ever had make way at the first refusal by all. If there are several, others get a turn before. */
export function isRefusedEnough(tx: InFlight, refusals: number, isPartial: boolean): boolean {
  if (isPartial) return refusals >= REFUSALS_WITHOUT_ALL
  const own = tx.attempts.filter(({ nonce }) => nonce === tx.nonce).length
  return refusals >= (tx.mayBeHeld ? REFUSALS_BEFORE_WAY : Math.min(REFUSALS_BEFORE_WAY, own))
}

/** If only the price is refused: the lane's owner knows the market, and that no higher price is allowed. */
export function makeWayForPrice(tx: InFlight, event: Extract<TxEvent, { type: 'way.made' }>, policy: Policy): Step {
  const { message, mayPass } = event
  if (!mayMakeWay(tx, policy) || (tx.state === 'TRACKING' && tx.inclusion !== null)) return stay(tx)
  const { reason } = tx.error ?? {}
  return makeWay(tx, { code: 'rejected', message, ...(reason !== undefined && { reason }), mayPass }, 'underpriced')
}

export function makeWay(tx: InFlight, refusal: Refusal, cause: string): Step {
  const { code, message, reason } = refusal
  return move(
    { ...tx, refusal, error: toError(refusal) },
    { type: 'way.made', cause, detail: { nonce: tx.nonce, code, message, nodeSaid: reason ?? null } },
  )
}

/** It need not make way after all: while no empty transaction was signed, there is nothing else to watch. */
export function withdrawRefusal(tx: InFlight): InFlight {
  const hasEmpty = tx.attempts.some(({ nonce, kind }) => nonce === tx.nonce && kind === 'cancel')
  return tx.refusal === null || hasEmpty ? tx : { ...tx, refusal: null }
}

/** While it makes way, report that, unless something more specific is in its way. */
export function nameWay(step: Step): Step {
  const { tx } = step
  if (!('refusal' in tx) || tx.refusal === null || !('nextResubmitAt' in tx)) return step
  if (tx.suspended || !PLAIN.includes(tx.subState) || (tx.state !== 'ALLOCATED' && tx.state !== 'TRACKING')) return step
  return { ...step, tx: { ...tx, subState: 'making_way', error: tx.error ?? toError(tx.refusal) } }
}

const PLAIN: readonly SubState[] = ['signed', 'stale', 'pending', 'rejected_by_node']

interface Proof {
  readonly at: number
  readonly inclusion: Inclusion
  readonly confirmations: readonly Confirmation[]
}

/** The empty transaction is final: the transaction's own bytes can never be mined under this nonce. */
export function settleWay(tx: InFlight & { readonly refusal: Refusal }, proof: Proof): Step {
  const { at, inclusion, confirmations } = proof
  const detail = { hash: inclusion.txHash, blockNumber: inclusion.blockNumber, confirmations: confirmations.length }
  if (goesBack(tx)) return returnToLine(tx, { ...detail, nonce: tx.nonce })
  const { stuckAt: _, ...rest } = { stuckAt: null, ...tx }
  const ended: CancelledOnChain = {
    ...rest,
    state: 'CANCELLED',
    subState: 'rejected',
    error: toError(tx.refusal),
    refusal: null,
    requestedReplacement: 'none',
    inclusion,
    confirmations,
    finalAt: at,
    minedAt: 'minedAt' in tx ? (tx.minedAt ?? at) : at,
  }
  return move(ended, { type: 'finality.reached', cause: 'rejected', detail }, { type: 'nonce.used' })
}

/** The same, by a foreign transaction: the refusal still applies. */
export function settleWayElsewhere(tx: InFlight & { readonly refusal: Refusal }, at: number): Step {
  const detail = { nonce: tx.nonce, message: `nonce ${tx.nonce} was used by a transaction that Drover did not sign` }
  if (goesBack(tx)) return returnToLine(tx, detail)
  const ended: Dropped = {
    ...withoutPlace(tx),
    state: 'CANCELLED',
    subState: 'rejected',
    error: toError(tx.refusal),
    nonce: null,
    finalAt: at,
  }
  return move(ended, { type: 'cancel.settled', cause: 'rejected', detail }, { type: 'nonce.used' })
}

export function isMakingWay<T extends InFlight>(tx: T): tx is T & { readonly refusal: Refusal } {
  return tx.refusal !== null
}

/** Counted by the nonces that it gave up to empty transactions before. */
function goesBack(tx: InFlight & { readonly refusal: Refusal }): boolean {
  const given = new Set(tx.attempts.filter(isEmptyElsewhere(tx.nonce)).map(({ nonce }) => nonce))
  return tx.refusal.mayPass && given.size < MAX_RETURNS
}

function isEmptyElsewhere(nonce: number) {
  return (attempt: Attempt) => attempt.kind === 'cancel' && attempt.nonce !== nonce
}

function returnToLine(tx: InFlight, detail: Readonly<Record<string, unknown>>): Step {
  return move(
    { ...withoutPlace(tx), ...inLine(tx.suspended), state: 'QUEUED' },
    { type: 'way.settled', cause: 'back_in_line', detail },
    { type: 'nonce.used' },
  )
}

function toError({ code, message, reason }: Refusal): TxError {
  return { code, message, ...(reason !== undefined && { reason }) }
}
