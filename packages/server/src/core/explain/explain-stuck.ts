/** Explains a transaction that policy keeps from advancing: what stopped it, what waits for it, what continues. */

import { hasLostNonce, whyNotRequeued } from '../transaction/lose-nonce.ts'
import type { Stuck } from '../transaction/transaction.ts'
import { explainLowPrice } from './explain-price.ts'
import { countSlots } from './explain-slots.ts'
import type { Cause, ExplainContext, Finding } from './explanation.ts'
import { spellError } from './spell-error.ts'
import { spellCount, spellTime } from './spell-time.ts'

export function explainStuck(tx: Stuck, context: ExplainContext): Finding {
  const { now, lane } = context
  const lower = lane.lowestUnmined !== null && lane.lowestUnmined.nonce < tx.nonce ? lane.lowestUnmined : null
  const others = Math.max(0, lane.inFlight - 1)
  const held =
    others === 0
      ? `It uses ${lane.inFlight} of ${spellCount(countSlots(context).slots, 'slot')}.`
      : `${spellCount(others, 'other transaction')} of this signer ${others === 1 ? 'is' : 'are'} in flight.${tx.subState === 'foreign_nonce' ? '' : ' Every higher nonce waits for this one.'}`
  return {
    cause: causeOf(tx),
    ...(lower && { blockedBy: { type: 'transaction', ...lower } }),
    summary: [
      `STUCK since ${spellTime(tx.stuckAt)}: ${reason(tx)}`,
      ...unraised(tx),
      ...lowPrice(tx, context),
      held,
    ].join(' '),
    ...next(tx, now),
  }
}

function unraised({ error }: Stuck): string[] {
  return error?.unraised === undefined ? [] : [`Drover did not raise its price: ${spellError(error.unraised, '')}`]
}

/** A nonce that a foreign transaction has used is lost at any price. */
function lowPrice(tx: Stuck, context: ExplainContext): string[] {
  const tooLow = tx.subState === 'foreign_nonce' ? null : explainLowPrice(tx, context)
  return tooLow === null ? [] : [tooLow]
}

function causeOf(tx: Stuck): Cause {
  if (tx.subState === 'foreign_nonce' || tx.subState === 'no_inclusion') return tx.subState
  return tx.error?.code === 'insufficient_funds' ? 'waiting_for_funds' : 'rejected_by_node'
}

function reason(tx: Stuck): string {
  const { nonce, error } = tx
  if (tx.subState === 'foreign_nonce') {
    const what = spellError(error, `nonce ${nonce} was used by a transaction that Drover did not sign`)
    return `${what} This transaction can no longer be mined with that nonce.`
  }
  const why = spellError(error, 'no RPC node accepted it and no block includes it')
  return tx.subState === 'no_inclusion'
    ? `sent ${spellCount(tx.submitCount, 'time')} with nonce ${nonce}, without success: ${why}`
    : `nonce ${nonce} was sent ${spellCount(tx.submitCount, 'time')} and refused: ${why}${spellWay(tx)}`
}

function spellWay({ refusal }: Stuck): string {
  if (refusal === null) return ''
  return ` Drover tried to replace it with an empty transaction, because ${spellError(refusal, 'every RPC node refused it')}`
}

function describeChoices(tx: Stuck): string {
  const close = 'close it (ends it as CANCELLED)'
  return whyNotRequeued(tx) === null
    ? `Nothing until you decide: requeue it (sends it under a new nonce) or ${close}.`
    : `Nothing until you ${close}. It cannot be requeued, because the request asked for exactly this nonce.`
}

function next(tx: Stuck, now: number): Pick<Finding, 'nextAction' | 'nextActionAt'> {
  if (hasLostNonce(tx)) return { nextAction: describeChoices(tx), nextActionAt: null }
  const watch = `Drover keeps watching its ${spellCount(tx.attempts.length, 'hash', 'hashes')} and moves it on if one is mined.`
  if (tx.suspended)
    return { nextAction: `Drover sends nothing until an operator resumes it. ${watch}`, nextActionAt: null }
  const at = Math.max(now, tx.nextResubmitAt)
  return { nextAction: `Drover sends the same bytes again at ${spellTime(at)}. ${watch}`, nextActionAt: at }
}
