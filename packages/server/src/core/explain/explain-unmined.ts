/** Explains a transaction that has a nonce, is in no block, and may still get there by itself. */

import { replacesByItself } from '../lane/policy.ts'
import { isBumpRefusal } from '../transaction/replace-sent.ts'
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
      summary: `An operator holds it back. It keeps nonce ${tx.nonce}; ${sent(tx)}.`,
      nextAction:
        'Nothing is sent until an operator resumes it; if a block takes bytes that are out already, it moves on.',
      nextActionAt: null,
    }
  }
  if (isPreconfirmed(tx)) return preconfirmed(tx, context)
  const missing = missingNonces(tx, context)
  if (missing !== null) return withReplacement(tx, missing)
  const lent = blockedByLent(tx, context)
  if (lent !== null) return withReplacement(tx, lent)
  const blocked = blockedByLower(tx, context)
  if (blocked !== null) return withReplacement(tx, { ...blocked, ...resend(tx, context) })
  const found =
    makingWay(tx) ?? capped(tx) ?? unbumped(tx) ?? refused(tx, context) ?? unanswered(tx) ?? waiting(tx, context)
  const next = tx.refusal !== null && lacksEmpty(tx) ? SIGN_EMPTY : resendOrGetStuck(tx, context)
  return withReplacement(tx, { ...found, ...next })
}

const SIGN_EMPTY = { nextAction: 'The empty transaction is signed and sent.', nextActionAt: null } as const

/** Nothing is signed in the place of what may be in the next block; a wish for that waits. */
function preconfirmed(tx: Unmined, { now }: ExplainContext): Finding {
  const at = Math.max(now, tx.nextResubmitAt)
  const wish =
    tx.wish === 'none' ? '' : ` It is to be ${tx.wish === 'cancel' ? 'cancelled' : 'sped up'} if no block takes it.`
  return {
    cause: 'preconfirmed',
    summary: `A node shows nonce ${tx.nonce} in the block that is being built. That is a promise and no inclusion; ${sent(tx)}.${wish}`,
    nextAction: `It is mined when a block of the chain holds it. If none does, the same bytes are sent again, at ${spellTime(at)} at the latest.`,
    nextActionAt: at,
  }
}

/** A reorganisation past finality took transactions away that had used these nonces: nothing above them can be mined. */
function missingNonces(tx: Unmined, { lane: { missingNonces: missing }, policy }: ExplainContext): Finding | null {
  if (missing === null || missing.from >= tx.nonce) return null
  const { from, to } = missing
  const nonces = from === to ? `nonce ${from}, which was final, is` : `nonces ${from} to ${to}, which were final, are`
  return {
    cause: 'nonces_missing',
    summary: `The chain counts only ${from} transactions of this signer: ${nonces} no longer on it. Nonce ${tx.nonce} cannot be mined before them.`,
    nextAction: replacesByItself(policy)
      ? 'The missing nonces are filled with empty transactions once the chain has shown this for several blocks.'
      : 'Nothing by itself under this policy. The transactions that were lost are named by the event finality.broken; an operator can send them again with their nonces, or fill the nonces with empty transfers.',
    nextActionAt: null,
  }
}

/** A nonce that is lent comes first only if it is the lowest of all that are in no block. */
function blockedByLent(tx: Unmined, context: ExplainContext): Finding | null {
  const { lowestReserved, lowestUnmined } = context.lane
  const lowest = Math.min(tx.nonce, lowestUnmined?.nonce ?? tx.nonce)
  if (lowestReserved === null || lowestReserved.nonce >= lowest) return null
  return {
    cause: 'blocked_by_reservation',
    blockedBy: { type: 'reservation', ...lowestReserved },
    summary: `Nonce ${tx.nonce} can only be mined after nonce ${lowestReserved.nonce}, which is ${spellReservation(lowestReserved)}.`,
    ...freeReservation(lowestReserved, context),
  }
}

function blockedByLower(tx: Unmined, { lane: { lowestUnmined } }: ExplainContext): Found | null {
  if (lowestUnmined === null || lowestUnmined.nonce >= tx.nonce) return null
  const { nonce, txId, state } = lowestUnmined
  const stuck = state === 'STUCK' ? ' That one needs an operator.' : ''
  const error = tx.refusals === 0 || tx.error === null ? '' : ` Besides, ${lastRefusal(tx)}`
  return {
    cause: 'blocked_by_predecessor',
    blockedBy: { type: 'transaction', ...lowestUnmined },
    summary: `Nonce ${tx.nonce} can only be mined after nonce ${nonce} of ${txId}, which is ${state}.${stuck}${error}`,
  }
}

/** What else was signed for the same nonce, or is about to be, belongs to every answer. */
function withReplacement(tx: Unmined, finding: Finding): Finding {
  const own = tx.attempts.filter(({ nonce }) => nonce === tx.nonce)
  const said = [finding.summary]
  if (own.length > 1)
    said.push(`It was signed ${spellCount(own.length, 'time')} under this nonce; whichever is mined counts.`)
  if (tx.refusal !== null) {
    if (finding.cause !== 'making_way') said.push(spellWay(tx, tx.refusal))
  } else if (newestAttempt(tx)?.kind === 'cancel') said.push('The newest is an empty transaction that cancels it.')
  else if (isCancelling(tx))
    said.push('It is to be cancelled: an empty transaction takes its place with the next step of the lane.')
  if (tx.wish === 'speed_up')
    said.push('It is to be sped up: it is signed again at a higher price with the next step of the lane.')
  return { ...finding, summary: said.join(' ') }
}

function makingWay(tx: Unmined): Found | null {
  if (tx.refusal === null) return null
  const isOther = tx.error !== null && tx.error.code !== tx.refusal.code
  const besides = isOther ? ` The empty one is held up as well: ${lastRefusal(tx)}` : ''
  return { cause: 'making_way', summary: `${spellWay(tx, tx.refusal)}${besides}` }
}

function spellWay(tx: Unmined, refusal: Refusal): string {
  const why = spellError(refusal, 'every RPC node refused it')
  const empty = lacksEmpty(tx) ? 'is about to take' : 'is taking'
  return `${why[0]?.toUpperCase()}${why.slice(1)} An empty transaction ${empty} nonce ${tx.nonce} so that later transactions can go on; if the original is mined after all, that counts.`
}

function capped(tx: Unmined): Found | null {
  if (tx.subState !== 'fee_above_cap') return null
  return { cause: 'fee_above_cap', summary: `Nonce ${tx.nonce} is not sent at a higher price: ${lastRefusal(tx)}` }
}

function unbumped(tx: Unmined): Found | null {
  if (!isBumpRefusal(tx.error)) return null
  return { cause: 'bump_refused', summary: `Nonce ${tx.nonce} is not signed at a higher price: ${lastRefusal(tx)}` }
}

function refused(tx: Unmined, { policy }: ExplainContext): Found | null {
  if (tx.error?.code === 'nonce_gap') {
    return { cause: 'nonce_gap', summary: `Nonce ${tx.nonce} was not taken: ${lastRefusal(tx)}` }
  }
  if (tx.refusals === 0) return null
  return {
    cause: tx.error?.code === 'insufficient_funds' ? 'waiting_for_funds' : 'rejected_by_node',
    summary: `Nonce ${tx.nonce} has been refused ${spellCount(tx.refusals, 'time')} in a row, of ${policy.maxSubmitAttempts} allowed: ${lastRefusal(tx)}`,
  }
}

function lastRefusal({ error }: Unmined): string {
  return spellError(error, 'the node did not take the transaction')
}

function unanswered(tx: Unmined): Found | null {
  if (tx.state !== 'ALLOCATED') return null
  const stored = `Nonce ${tx.nonce} is taken; its bytes are signed and stored as ${currentAttempt(tx)?.hash ?? 'one attempt'}`
  if (tx.submitCount === 0) {
    return { cause: 'not_sent', summary: `${stored}, and no node has answered for them yet.` }
  }
  return {
    cause: 'no_answer',
    summary: `${stored}. Sent ${spellCount(tx.submitCount, 'time')}, last at ${spellTime(tx.lastSubmitAt ?? tx.allocatedAt)}, but no answer was clear: the node may have them or not.`,
  }
}

function waiting(tx: Unmined, context: ExplainContext): Found {
  const { now } = context
  const since = `It has waited for a block for ${spellDuration(now - tx.waitingSince)}; ${sent(tx)}.`
  if (tx.subState === 'reorged') {
    const forks = spellCount(tx.newForks, 'reorganisation')
    return {
      cause: 'reorged',
      summary: `The block that held nonce ${tx.nonce} left the chain (${forks} so far). ${since}`,
    }
  }
  const tooLow = explainLowPrice(tx, context)
  if (tooLow !== null) {
    return {
      cause: 'fee_below_base',
      summary: `A node has nonce ${tx.nonce}, and it is in no block. ${tooLow} ${since}`,
    }
  }
  return tx.subState === 'stale'
    ? { cause: 'stale', summary: `Nonce ${tx.nonce} is in no block yet, and its bytes are being sent again. ${since}` }
    : {
        cause: 'pending',
        summary: `Sent and in the mempool (nonce ${tx.nonce}); waiting to be mined. ${since}`,
      }
}

function sent(tx: Unmined): string {
  return tx.lastSubmitAt === null
    ? 'its bytes have been sent 0 times as far as is recorded'
    : `its bytes were sent ${spellCount(tx.submitCount, 'time')}, last at ${spellTime(tx.lastSubmitAt)}`
}

function resend(tx: Unmined, { now }: ExplainContext): Pick<Finding, 'nextAction' | 'nextActionAt'> {
  const at = Math.max(now, tx.nextResubmitAt)
  return { nextAction: `The same bytes are sent again at ${spellTime(at)}.`, nextActionAt: at }
}

function resendOrGetStuck(tx: Unmined, context: ExplainContext): Pick<Finding, 'nextAction' | 'nextActionAt'> {
  const stuckAt = Math.max(context.now, tx.waitingSince + context.policy.stuckAfterMs)
  const { nextAction, nextActionAt } = resend(tx, context)
  return {
    nextAction: `${nextAction} In no block by ${spellTime(stuckAt)}, it is called STUCK and an alarm is raised.`,
    nextActionAt: Math.min(nextActionAt ?? stuckAt, stuckAt),
  }
}
