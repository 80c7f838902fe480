/**
 * The one table of what an operator may do to a transaction, by state and policy. It says yes exactly if the transition
 * would change something, so an action is never accepted without an effect.
 */

import type { Policy } from '../lane/policy.ts'
import { hasLostNonce, whyNotRequeued } from './lose-nonce.ts'
import { whyNotReplaced } from './replace-sent.ts'
import { inclusionOf, isInFlight, isTerminal, nonceOf, type Transaction } from './transaction.ts'

export const OPERATOR_ACTIONS = [
  'suspend',
  'resume',
  'retry',
  'cancel',
  'resolve',
  'requeue',
  'close',
  'speed-up',
] as const
export type OperatorAction = (typeof OPERATOR_ACTIONS)[number]

export type Verdict = { readonly allowed: true } | { readonly allowed: false; readonly why: string }

const YES: Verdict = { allowed: true }

export function allowedActions(tx: Transaction, policy: Policy): Readonly<Record<OperatorAction, Verdict>> {
  const over = whyNothingMayChange(tx)
  return {
    suspend: over ?? judgeSuspend(tx),
    resume: judgeResume(tx),
    retry: over ?? judgeRetry(tx),
    cancel: over ?? (tx.state === 'QUEUED' ? YES : judgeReplacement(tx, 'cancel', policy)),
    resolve: over ?? judgeResolve(tx),
    requeue: over ?? judgeRequeue(tx),
    close: over ?? judgeClose(tx),
    'speed-up': over ?? judgeSpeedUp(tx, policy),
  }
}

function whyNothingMayChange(tx: Transaction): Verdict | null {
  if (isTerminal(tx)) return no(`It is ${tx.state}, and that is final.`)
  const inclusion = inclusionOf(tx)
  if (inclusion === null) return null
  return no(`It is in block ${inclusion.blockNumber}, so only the chain can change it now.`)
}

function judgeSuspend(tx: Transaction): Verdict {
  if (tx.suspended) return no('It is already suspended.')
  return isLost(tx) ? no('Drover no longer sends it, because another transaction used its nonce.') : YES
}

function judgeResume(tx: Transaction): Verdict {
  if (isTerminal(tx)) return no(`It is ${tx.state}, and that is final.`)
  return tx.suspended ? YES : no('It is not suspended.')
}

function judgeRetry(tx: Transaction): Verdict {
  if (tx.suspended) return no('It is suspended. Resume it: that also sends it again.')
  if (isLost(tx)) return no(`Sending nonce ${nonceOf(tx)} again cannot work: another transaction used it.`)
  if (tx.state !== 'QUEUED' || tx.retryAt !== null) return YES
  return no('Nothing has failed: it is queued and gets its nonce when it is its turn.')
}

function judgeResolve(tx: Transaction): Verdict {
  if (tx.state === 'STUCK') return YES
  if (tx.state === 'QUEUED')
    return no('It has no nonce yet, so no other transaction can have used it. Cancel it instead.')
  return no(`It is ${tx.state} and may still be mined. Only a STUCK transaction can be resolved.`)
}

function judgeRequeue(tx: Transaction): Verdict {
  const why = isInFlight(tx) ? whyNotRequeued(tx) : 'It has no nonce yet and is already queued.'
  return why === null ? YES : no(why)
}

function judgeClose(tx: Transaction): Verdict {
  if (isLost(tx)) return YES
  return no('No other transaction used its nonce. Cancel it instead.')
}

function isLost(tx: Transaction): boolean {
  return isInFlight(tx) && hasLostNonce(tx)
}

function judgeSpeedUp(tx: Transaction, policy: Policy): Verdict {
  if (tx.state === 'QUEUED') return no('It is not signed yet. Its price is set when it gets a nonce.')
  return judgeReplacement(tx, 'speed-up', policy)
}

/** After a nonce is taken, cancelling and speeding up mean another transaction in its place. */
function judgeReplacement(tx: Transaction, action: 'cancel' | 'speed-up', policy: Policy): Verdict {
  const why = isInFlight(tx) ? whyNotReplaced(tx, action, policy) : 'It is not signed, so there is nothing to replace.'
  return why === null ? YES : no(why)
}

function no(why: string): Verdict {
  return { allowed: false, why }
}
