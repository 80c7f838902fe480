/** Explains a transaction that has no nonce yet: the first of the things that keep it from taking one. */

import type { ShownWindow } from '../lane/window.ts'
import type { Attempt, Queued } from '../transaction/transaction.ts'
import { findMissingOwner } from './explain-owner.ts'
import { freeReservation, spellReservation } from './explain-reservation.ts'
import { countSlots } from './explain-slots.ts'
import type { BlockedBy, Cause, ExplainContext, Finding } from './explanation.ts'
import { spellError } from './spell-error.ts'
import { spellCount, spellDuration, spellTime } from './spell-time.ts'

type Explainer = (tx: Queued, context: ExplainContext) => Finding | null

/** In the order in which the lane itself would meet them. */
const REASONS: readonly Explainer[] = [
  missingOwner,
  deadlinePassed,
  suspended,
  lanePaused,
  laneCancelling,
  slotsTaken,
  deferred,
  inLine,
]

export function explainQueued(tx: Queued, context: ExplainContext): Finding {
  let finding: Finding | null = null
  for (const reason of REASONS) finding ??= reason(tx, context)
  finding ??= preparing(context)
  return { ...finding, summary: [finding.summary, ...remarks(tx, context)].join(' ') }
}

function remarks(tx: Queued, { now }: ExplainContext): string[] {
  const { validUntil } = tx.intent
  const lost = tx.attempts.at(-1)
  return [
    ...(lost === undefined ? [] : [spellLost(lost)]),
    ...(validUntil === null || validUntil <= now
      ? []
      : [`It expires at ${spellTime(validUntil)} if it has no nonce by then.`]),
  ]
}

function spellLost({ nonce, kind }: Attempt): string {
  return kind === 'cancel'
    ? `It had nonce ${nonce} before and gave it up to an empty transaction, since no RPC node took it at its price.`
    : `It had nonce ${nonce} before, which a foreign transaction used.`
}

function missingOwner(tx: Queued, context: ExplainContext): Finding | null {
  const missing = findMissingOwner(context)
  if (missing === null || tx.suspended) return null
  return {
    ...missing,
    cause: 'no_owner',
    summary: `${missing.summary} It has waited in line for ${spellDuration(context.now - tx.createdAt)}.`,
    nextAction: 'A live node that can reach the key takes the lane and goes on with the queue.',
    nextActionAt: null,
  }
}

function deadlinePassed({ intent: { validUntil } }: Queued, { now }: ExplainContext): Finding | null {
  if (validUntil === null || validUntil > now) return null
  return {
    cause: 'deadline_passed',
    summary: `It was valid until ${spellTime(validUntil)} and has taken no nonce.`,
    nextAction: 'The lane marks it EXPIRED; it takes no nonce any more.',
    nextActionAt: now,
  }
}

function suspended(tx: Queued): Finding | null {
  if (!tx.suspended) return null
  return {
    cause: 'suspended',
    summary: 'An operator holds it back, and it has no nonce.',
    nextAction: 'Nothing until an operator resumes it; those behind it in line go first.',
    nextActionAt: null,
  }
}

function lanePaused({ intent: { lane } }: Queued, context: ExplainContext): Finding | null {
  if (!context.lane.paused) return null
  return {
    cause: 'lane_paused',
    blockedBy: { type: 'lane', ...lane },
    summary: `The signer ${lane.signer} is paused on chain ${lane.chainId}, so that none of its queue takes a nonce.`,
    nextAction: 'Nothing until an operator resumes the signer.',
    nextActionAt: null,
  }
}

function laneCancelling({ intent: { lane } }: Queued, context: ExplainContext): Finding | null {
  const { cancelling } = context.lane
  if (cancelling === undefined) return null
  const left = spellCount(cancelling.left, 'transaction')
  return {
    cause: 'lane_cancelling',
    blockedBy: { type: 'lane', ...lane },
    summary: `An operator has everything in flight cancelled before the nonce is reset (order ${cancelling.resetId}); ${left} left.`,
    nextAction: 'It takes its nonce once all have ended and the nonce is reset.',
    nextActionAt: null,
  }
}

function slotsTaken(_tx: Queued, context: ExplainContext): Finding | null {
  const { lowestUnmined, inFlight, unmined } = context.lane
  const { held, slots } = countSlots(context)
  const unfinal = inFlight - unmined
  const isUnfinalFull = unfinal >= context.policy.maxUnfinal
  if (held < slots && !isUnfinalFull) return null
  const next = { cause: 'waiting_for_slot', nextActionAt: null } as const
  const lent = isUnfinalFull ? null : slotsLent(context, spellTaken(held, slots))
  if (lent !== null) return lent
  if (isUnfinalFull || lowestUnmined === null) {
    const [taken, most] = isUnfinalFull ? [unfinal, context.policy.maxUnfinal] : [held, slots]
    return {
      ...next,
      blockedBy: { type: 'slot', inFlight: taken, maxInFlight: most },
      summary: `${spellTaken(taken, most)} by transactions that are mined and wait to be final.${ahead(context)}`,
      nextAction: 'The first in line takes a nonce as soon as one of them is final.',
    }
  }
  const { nonce, txId, state } = lowestUnmined
  const stuck = state === 'STUCK' ? ' It needs an operator.' : ''
  const until = context.policy.slotHeldUntil
  return {
    ...next,
    blockedBy: { type: 'transaction', ...lowestUnmined },
    summary: `${spellTaken(held, slots)}${spellWindow(context)}; the lowest not yet mined is nonce ${nonce} of ${txId}, which is ${state}.${stuck}${ahead(context)}`,
    nextAction: `The first in line takes a nonce as soon as one in flight is ${until}; nonce ${nonce} comes first.`,
  }
}

/** A reserved nonce that is the lowest of all comes first: nothing is mined, and no slot comes free, before it. */
function slotsLent(context: ExplainContext, taken: string): Finding | null {
  const { lowestReserved, lowestUnmined, reserved } = context.lane
  if (lowestReserved === null || (lowestUnmined !== null && lowestUnmined.nonce < lowestReserved.nonce)) return null
  const share = `${spellCount(reserved, 'of them', 'of them')} by ${reserved === 1 ? 'a reservation' : 'reservations'}`
  return {
    cause: 'blocked_by_reservation',
    blockedBy: { type: 'reservation', ...lowestReserved },
    summary: `${taken}, ${share}. The lowest is nonce ${lowestReserved.nonce}, which is ${spellReservation(lowestReserved)}.${ahead(context)}`,
    ...freeReservation(lowestReserved, context),
  }
}

function spellTaken(taken: number, slots: number): string {
  return `${taken} of ${spellCount(slots, 'slot')} ${taken === 1 ? 'is' : 'are'} taken`
}

const WHY: Readonly<Record<ShownWindow['reason'], string | null>> = {
  start: "the number grows while the chain's nodes keep what is sent",
  all_kept: "the number grows while the chain's nodes keep what is sent",
  at_limit: null,
  pool_full: 'the mempool is full',
  dropped: "the chain's nodes keep no more of this account",
  nonce_gap: 'the node takes no nonce further ahead',
  delegated: 'the account has delegated code (EIP-7702), and nodes keep one transaction of it',
}

function spellWindow({ lane: { window } }: ExplainContext): string {
  const why = window && WHY[window.reason]
  return why === null ? '' : ` (${why})`
}

const DEFERRALS: Readonly<Record<string, { readonly cause: Cause; readonly cure: string }>> = {
  waiting_for_node: { cause: 'waiting_for_node', cure: 'a node of the chain answers' },
  waiting_for_predecessor: { cause: 'waiting_for_predecessor', cure: 'the transactions before it are mined' },
  waiting_for_funds: { cause: 'waiting_for_funds', cure: 'the account has enough' },
  fee_above_cap: { cause: 'fee_above_cap', cure: 'the chain asks no more than is allowed and offered' },
}

/** Looked at with every block; the time of the next try is only for a chain that makes none. */
const WATCHED: readonly Cause[] = ['waiting_for_funds', 'fee_above_cap']

function deferred(tx: Queued, context: ExplainContext): Finding | null {
  const deferral = DEFERRALS[tx.subState]
  if (tx.retryAt === null || deferral === undefined) return null
  const { now, lane } = context
  const { cause, cure } = deferral
  const nextActionAt = Math.max(now, tx.retryAt)
  const why = spellError(tx.error, `it waits until ${cure}`)
  const blockedBy: BlockedBy | null =
    cause === 'waiting_for_predecessor' && lane.lowestUnmined !== null
      ? { type: 'transaction', ...lane.lowestUnmined }
      : null
  return {
    cause,
    ...(blockedBy && { blockedBy }),
    summary: `It could not be prepared in ${spellCount(tx.prepareFailures, 'try', 'tries')}: ${why} No nonce was taken.${ahead(context)}`,
    nextAction: WATCHED.includes(cause)
      ? `It is looked at again with every block, at the latest at ${spellTime(nextActionAt)}, and takes a nonce once ${cure}.`
      : `It is prepared again at ${spellTime(nextActionAt)}, and takes a nonce once ${cure}.`,
    nextActionAt,
  }
}

function inLine({ intent: { lane } }: Queued, context: ExplainContext): Finding | null {
  const { queueAhead } = context
  if (queueAhead === null || queueAhead === 0) return null
  return {
    cause: 'waiting_in_line',
    blockedBy: { type: 'lane', ...lane },
    summary: `${spellCount(queueAhead, 'transaction')} of the same signer ${queueAhead === 1 ? 'goes' : 'go'} first.`,
    nextAction: 'It takes a nonce when those before it have theirs; the line is never overtaken.',
    nextActionAt: null,
  }
}

function preparing(context: ExplainContext): Finding {
  const { held, slots } = countSlots(context)
  return {
    cause: 'preparing',
    summary: `It is first in line. ${spellTaken(held, slots)}.`,
    nextAction: 'Its gas is estimated, its price set, its bytes are signed and stored with its nonce, and then sent.',
    nextActionAt: context.now,
  }
}

function ahead({ queueAhead }: ExplainContext): string {
  return queueAhead === null || queueAhead === 0 ? '' : ` Before it in line: ${spellCount(queueAhead, 'transaction')}.`
}
