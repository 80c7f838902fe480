/** Explains a transaction that has a nonce, is not mined yet, and may still be mined without help. */

import { replacesByItself } from '../lane/policy.ts'
import { whyNotRaised } from '../transaction/replace-sent.ts'
import {
  type Allocated,
  currentAttempt,
  isCancelling,
  isPreconfirmed,
  lacksEmpty,
  newestAttempt,
  type Refusal,
  type Tracking,
} from '../transaction/transaction.ts'
import { spellUsedElsewhere } from './describe-problem.ts'
import { explainLowPrice } from './explain-price.ts'
import { freeReservation, spellReservation } from './explain-reservation.ts'
import type { ExplainContext, Finding } from './explanation.ts'
import { spellError } from './spell-error.ts'
import { spellCount, spellDuration, spellTime } from './spell-time.ts'

type Unmined = Allocated | Tracking
type Found = Omit<Finding, 'nextAction' | 'nextActionAt'>

export function explainUnmined(tx: Unmined, context: ExplainContext): Finding {
  if (tx.suspended) {
    return {
      cause: 'suspended',
      summary: `An operator suspended it. It keeps nonce ${tx.nonce}; ${sent(tx)}.`,
      nextAction:
        'Drover sends nothing until an operator resumes it. If bytes that were already sent are mined, it moves on.',
      nextActionAt: null,
    }
  }
  if (context.lane.usedNonce === tx.nonce) return usedElsewhere(tx.nonce, context)
  if (isPreconfirmed(tx)) return preconfirmed(tx, context)
  const missing = missingNonces(tx, context)
  if (missing !== null) return withReplacement(tx, missing)
  const reserved = blockedByReserved(tx, context)
  if (reserved !== null) return withReplacement(tx, reserved)
  const blocked = blockedByLower(tx, context)
  if (blocked !== null) return withReplacement(tx, { ...blocked, ...resend(tx, context) })
  const found = makingWay(tx) ?? unraised(tx, context) ?? refused(tx, context) ?? unanswered(tx) ?? waiting(tx, context)
  const next = tx.refusal !== null && lacksEmpty(tx) ? SIGN_EMPTY : resendOrGetStuck(tx, context)
  return withReplacement(tx, { ...found, ...next })
}

const SIGN_EMPTY = { nextAction: 'Drover signs and sends the empty transaction.', nextActionAt: null } as const

function usedElsewhere(nonce: number, { policy }: ExplainContext): Finding {
  const otherwise =
    policy.onForeignNonce === 'requeue'
      ? 'Drover sends this one again under a new nonce. If that is unclear, this one gets STUCK, and you decide.'
      : 'this one gets STUCK, and you can requeue or close it.'
  return {
    cause: 'foreign_nonce',
    summary: `${spellUsedElsewhere(nonce)} That transaction is not final yet.`,
    nextAction: `Drover waits until it is final and compares it with this one. If it did the same, this one ends with its outcome. If not, ${otherwise}`,
    nextActionAt: null,
  }
}

/** A transaction that may be in the next block is not replaced; a requested replacement waits. */
function preconfirmed(tx: Unmined, { now }: ExplainContext): Finding {
  const at = Math.max(now, tx.nextResubmitAt)
  const wish =
    tx.requestedReplacement === 'none'
      ? ''
      : ` Drover ${tx.requestedReplacement === 'cancel' ? 'cancels it' : 'speeds it up'} if no block includes it.`
  return {
    cause: 'preconfirmed',
    summary: `An RPC node shows nonce ${tx.nonce} in the block being built. That is a preconfirmation, not an inclusion; ${sent(tx)}.${wish}`,
    nextAction: `It is mined when a block includes it. If none does, Drover sends the same bytes again by ${spellTime(at)}.`,
    nextActionAt: at,
  }
}

/** A reorg past finality removed transactions that had used these nonces: nothing above them can be mined. */
function missingNonces(tx: Unmined, { lane: { missingNonces: missing }, policy }: ExplainContext): Finding | null {
  if (missing === null || missing.from >= tx.nonce) return null
  const { from, to } = missing
  const nonces = from === to ? `nonce ${from}, which was final, is` : `nonces ${from} to ${to}, which were final, are`
  return {
    cause: 'nonces_missing',
    summary: `The chain counts only ${from} transactions of this signer: ${nonces} no longer on it. Nonce ${tx.nonce} cannot be mined before them.`,
    nextAction: replacesByItself(policy)
      ? 'Drover fills the missing nonces with empty transactions once the chain has shown this for several blocks.'
      : 'Nothing under this policy until an operator decides. With `drover signer policy <address> --may-replace automatic`, Drover fills the missing nonces with empty transactions. The event finality.broken names the lost transactions.',
    nextActionAt: null,
  }
}

/** A reserved nonce comes first only if it is the lowest of all that are not mined yet. */
function blockedByReserved(tx: Unmined, context: ExplainContext): Finding | null {
  const { lowestReserved, lowestUnmined } = context.lane
  const lowest = Math.min(tx.nonce, lowestUnmined?.nonce ?? tx.nonce)
  if (lowestReserved === null || lowestReserved.nonce >= lowest) return null
  return {
    cause: 'blocked_by_reservation',
    blockedBy: { type: 'reservation', ...lowestReserved },
    summary: `Nonce ${tx.nonce} can only be mined after nonce ${lowestReserved.nonce}, which is ${spellReservation(lowestReserved, context.now)}.`,
    ...freeReservation(lowestReserved, context),
  }
}

function blockedByLower(tx: Unmined, { lane: { lowestUnmined, usedNonce } }: ExplainContext): Found | null {
  if (lowestUnmined === null || lowestUnmined.nonce >= tx.nonce || lowestUnmined.nonce === usedNonce) return null
  const { nonce, txId, state } = lowestUnmined
  const stuck = state === 'STUCK' ? ' That one needs an operator.' : ''
  const error = tx.refusals === 0 || tx.error === null ? '' : ` Also, ${lastRefusal(tx)}`
  return {
    cause: 'blocked_by_predecessor',
    blockedBy: { type: 'transaction', ...lowestUnmined },
    summary: `Nonce ${tx.nonce} can only be mined after nonce ${nonce} of ${txId}, which is ${state}.${stuck}${error}`,
  }
}

/** Every answer includes what else was signed for the same nonce, or is about to be. */
function withReplacement(tx: Unmined, finding: Finding): Finding {
  const own = tx.attempts.filter(({ nonce }) => nonce === tx.nonce)
  const said = [finding.summary]
  if (own.length > 1)
    said.push(`It was signed ${spellCount(own.length, 'time')} under this nonce; whichever is mined counts.`)
  if (tx.refusal !== null) {
    if (finding.cause !== 'making_way') said.push(spellWay(tx, tx.refusal))
  } else if (newestAttempt(tx)?.kind === 'cancel') said.push('The newest is an empty transaction that cancels it.')
  else if (isCancelling(tx))
    said.push('It is being cancelled: Drover is about to replace it with an empty transaction.')
  if (tx.requestedReplacement === 'speed_up')
    said.push('It is being sped up: Drover is about to sign it again at a higher price.')
  return { ...finding, summary: said.join(' ') }
}

function makingWay(tx: Unmined): Found | null {
  if (tx.refusal === null) return null
  const isOther = tx.error !== null && tx.error.code !== tx.refusal.code
  const besides = isOther ? ` The empty transaction is held up too: ${lastRefusal(tx)}` : ''
  return { cause: 'making_way', summary: `${spellWay(tx, tx.refusal)}${besides}` }
}

function spellWay(tx: Unmined, refusal: Refusal): string {
  const why = spellError(refusal, 'every RPC node refused it')
  const empty = lacksEmpty(tx) ? 'is about to take' : 'is taking'
  return `${why[0]?.toUpperCase()}${why.slice(1)} An empty transaction ${empty} nonce ${tx.nonce} so that later transactions can continue. If the original is mined after all, it counts.`
}

/** Drover wanted to raise it, but could not: a node that refuses the same bytes since then is no other reason. */
function unraised(tx: Unmined, context: ExplainContext): Found | null {
  const why = tx.subState === 'fee_above_cap' ? tx.error : whyNotRaised(tx.error)
  const isCapped = tx.subState === 'fee_above_cap' || why?.code === 'fee_above_cap'
  if (why === null && !isCapped) return null
  const said = `Drover did not raise the price of nonce ${tx.nonce}: ${spellError(why, 'a higher one is above the limit')}`
  const since = tx.error === why ? null : refused(tx, context)
  if (since?.cause === 'waiting_for_funds') return { ...since, summary: `${since.summary} ${said}` }
  const summary = since === null ? said : `${said} ${since.summary}`
  return { cause: isCapped ? 'fee_above_cap' : 'bump_refused', summary }
}

function refused(tx: Unmined, { policy }: ExplainContext): Found | null {
  if (tx.error?.code === 'nonce_gap') {
    return { cause: 'nonce_gap', summary: `Nonce ${tx.nonce} was not accepted: ${lastRefusal(tx)}` }
  }
  if (tx.refusals === 0) return null
  return {
    cause: tx.error?.code === 'insufficient_funds' ? 'waiting_for_funds' : 'rejected_by_node',
    summary: `Nonce ${tx.nonce} has been refused ${spellCount(tx.refusals, 'time')} in a row (limit ${policy.maxSubmitAttempts}): ${lastRefusal(tx)}`,
  }
}

function lastRefusal({ error }: Unmined): string {
  return spellError(error, 'the RPC node did not accept the transaction')
}

function unanswered(tx: Unmined): Found | null {
  if (tx.state !== 'ALLOCATED') return null
  const stored = `Signed and stored with nonce ${tx.nonce} as ${currentAttempt(tx)?.hash ?? 'one attempt'}`
  if (tx.submitCount === 0) {
    return { cause: 'not_sent', summary: `${stored}. No RPC node has accepted it yet.` }
  }
  return {
    cause: 'no_answer',
    summary: `${stored}. Sent ${spellCount(tx.submitCount, 'time')}, last at ${spellTime(tx.lastSubmitAt ?? tx.allocatedAt)}, without a clear answer: the RPC node may or may not have it.`,
  }
}

function waiting(tx: Unmined, context: ExplainContext): Found {
  const { now } = context
  const since = `It has been waiting for ${spellDuration(now - tx.waitingSince)}; ${sent(tx)}.`
  if (tx.subState === 'reorged') {
    const forks = spellCount(tx.newForks, 'reorg')
    return {
      cause: 'reorged',
      summary: `The block with nonce ${tx.nonce} was reorged out (${forks} so far). ${since}`,
    }
  }
  const tooLow = explainLowPrice(tx, context)
  if (tooLow !== null) {
    return {
      cause: 'fee_below_base',
      summary: `Sent (nonce ${tx.nonce}), not mined yet. ${tooLow} ${since}`,
    }
  }
  return tx.subState === 'stale'
    ? {
        cause: 'stale',
        summary: `Sent (nonce ${tx.nonce}), not mined yet. Drover is sending the same bytes again. ${since}`,
      }
    : {
        cause: 'pending',
        summary: `Sent and in the mempool (nonce ${tx.nonce}); waiting to be mined. ${since}`,
      }
}

function sent(tx: Unmined): string {
  return tx.lastSubmitAt === null
    ? 'no send is recorded yet'
    : `sent ${spellCount(tx.submitCount, 'time')}, last at ${spellTime(tx.lastSubmitAt)}`
}

function resend(tx: Unmined, { now }: ExplainContext): Pick<Finding, 'nextAction' | 'nextActionAt'> {
  const at = Math.max(now, tx.nextResubmitAt)
  return { nextAction: `Drover sends the same bytes again at ${spellTime(at)}.`, nextActionAt: at }
}

function resendOrGetStuck(tx: Unmined, context: ExplainContext): Pick<Finding, 'nextAction' | 'nextActionAt'> {
  const stuckAt = Math.max(context.now, tx.waitingSince + context.policy.stuckAfterMs)
  const { nextAction, nextActionAt } = resend(tx, context)
  return {
    nextAction: `${nextAction} If it is not mined by ${spellTime(stuckAt)}, Drover marks it STUCK and raises an alarm.`,
    nextActionAt: Math.min(nextActionAt ?? stuckAt, stuckAt),
  }
}
