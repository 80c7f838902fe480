/** Explains a transaction that has ended: its outcome, the evidence for it, and what happened to its nonce. */

import { type CancelledOnChain, type Dropped, type Finished, findAttempt } from '../transaction/transaction.ts'
import type { Finding } from './explanation.ts'
import { spellError } from './spell-error.ts'
import { spellCount, spellTime } from './spell-time.ts'

const OVER = { nextAction: 'Nothing: this state is final.', nextActionAt: null } as const

export function explainFinal(tx: Finished | CancelledOnChain | Dropped): Finding {
  return tx.nonce === null ? explainDropped(tx) : explainOnChain(tx)
}

function explainDropped(tx: Dropped): Finding {
  const at = spellTime(tx.finalAt)
  if (tx.state === 'EXPIRED') {
    const until = tx.intent.validUntil === null ? at : spellTime(tx.intent.validUntil)
    return { cause: 'expired', summary: `It expired: it was valid until ${until} and had no nonce by then.`, ...OVER }
  }
  if (tx.subState === 'rejected') {
    const why = spellError(tx.error, 'it would certainly fail')
    const lost = tx.attempts.at(-1)
    return lost === undefined
      ? { cause: 'rejected', summary: `It was rejected at ${at}, before it got a nonce: ${why}`, ...OVER }
      : {
          cause: 'rejected',
          summary: `It was rejected at ${at}, after another transaction used nonce ${lost.nonce}: ${why}`,
          ...OVER,
        }
  }
  if (tx.subState === 'not_approved') {
    const why = spellError(tx.error, 'it was not approved')
    return { cause: 'not_approved', summary: `It was cancelled at ${at}, before it got a nonce: ${why}`, ...OVER }
  }
  if (tx.subState === 'replaced') {
    const why = spellError(tx.error, 'another transaction used its nonce')
    return { cause: 'replaced', summary: `An operator closed it at ${at}: ${why}`, ...OVER }
  }
  if (tx.error !== null) {
    const why = spellError(tx.error, 'another transaction used its nonce')
    return { cause: 'cancelled', summary: `It was being cancelled, but it ended first, at ${at}: ${why}`, ...OVER }
  }
  return { cause: 'cancelled', summary: `An operator cancelled it at ${at}, before it got a nonce.`, ...OVER }
}

const SAME_EFFECT = 'which Drover did not sign but which does the same'

function explainOnChain(tx: Finished | CancelledOnChain): Finding {
  const { inclusion, nonce } = tx
  const where = `block ${inclusion.blockNumber} with ${spellCount(tx.confirmations.length, 'confirmation')}`
  const since = `final since ${spellTime(tx.finalAt)}`
  if (tx.subState === 'resolved') {
    const ours = findAttempt(tx, inclusion.txHash) === null ? SAME_EFFECT : 'one of its own attempts'
    const end = inclusion.succeeded ? 'succeeded' : 'reverted'
    return {
      cause: 'resolved',
      summary: `An operator resolved it: nonce ${nonce} was used by ${inclusion.txHash}, ${ours}; it ${end} in ${where}.`,
      ...OVER,
    }
  }
  if (tx.state !== 'CANCELLED' && findAttempt(tx, inclusion.txHash) === null) {
    const end = inclusion.succeeded ? 'succeeded' : 'reverted'
    return {
      cause: inclusion.succeeded ? 'confirmed' : 'reverted',
      summary: `Nonce ${nonce} was used by ${inclusion.txHash}, ${SAME_EFFECT}. It ${end} in ${where}, ${since}.`,
      ...OVER,
    }
  }
  if (tx.state === 'CANCELLED' && tx.subState === 'rejected') {
    return {
      cause: 'rejected',
      summary: `It was rejected, and an empty transaction used nonce ${nonce} in ${where}, ${since}. ${spellError(tx.error, 'No RPC node accepted it')}`,
      ...OVER,
    }
  }
  if (tx.state === 'CANCELLED') {
    return {
      cause: 'cancelled_on_chain',
      summary: `It was cancelled: an empty transaction used nonce ${nonce} in ${where}, ${since}.${
        tx.error === null ? '' : ` ${spellError(tx.error, '')}`
      }`,
      ...OVER,
    }
  }
  return tx.state === 'CONFIRMED'
    ? { cause: 'confirmed', summary: `Nonce ${nonce} succeeded in ${where}, ${since}.`, ...OVER }
    : { cause: 'reverted', summary: `Nonce ${nonce} reverted in ${where}, ${since}. The nonce is used.`, ...OVER }
}
