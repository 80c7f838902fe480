/** Explains a transaction that has no nonce yet: the first reason that keeps it from taking one. */

import type { LaneProblem } from '../lane/lane-problem.ts'
import type { ShownWindow } from '../lane/window.ts'
import type { Attempt, Queued, Transaction } from '../transaction/transaction.ts'
import { findMissingOwner } from './explain-owner.ts'
import { freeReservation, spellReservation } from './explain-reservation.ts'
import { explainApproval, explainHeld } from './explain-rules.ts'
import { explainScheduled } from './explain-scheduled.ts'
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
  explainApproval,
  explainHeld,
  explainScheduled,
  lanePaused,
  laneCancelling,
  slotsTaken,
  deferred,
  behindFirst,
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
    ? `It had nonce ${nonce} before, but no RPC node accepted its price, so an empty transaction took that nonce.`
    : `It had nonce ${nonce} before, but a transaction that Drover did not sign used it.`
}

function missingOwner(tx: Queued, context: ExplainContext): Finding | null {
  const missing = findMissingOwner(context)
  if (missing === null || tx.suspended) return null
  return {
    blockedBy: missing.blockedBy,
    cause: 'no_owner',
    summary: `${missing.summary} It has been queued for ${spellDuration(context.now - tx.createdAt)}.`,
    nextAction: `${missing.heir} takes over the signer and continues with the queue.`,
    nextActionAt: null,
  }
}

function deadlinePassed({ intent: { validUntil } }: Queued, { now }: ExplainContext): Finding | null {
  if (validUntil === null || validUntil > now) return null
  return {
    cause: 'deadline_passed',
    summary: `It was valid until ${spellTime(validUntil)} and has no nonce.`,
    nextAction: 'Drover marks it EXPIRED. It gets no nonce.',
    nextActionAt: now,
  }
}

function suspended(tx: Queued): Finding | null {
  if (!tx.suspended) return null
  return {
    cause: 'suspended',
    summary: 'An operator suspended it. It has no nonce.',
    nextAction: 'Nothing until an operator resumes it. Transactions behind it go first.',
    nextActionAt: null,
  }
}

function lanePaused({ intent: { lane } }: Queued, context: ExplainContext): Finding | null {
  if (!context.lane.paused) return null
  return {
    cause: 'lane_paused',
    blockedBy: { type: 'lane', ...lane },
    summary: `Signer ${lane.signer} is paused on chain ${lane.chainId}, so its queued transactions get no nonces.`,
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
    summary: `An operator is cancelling everything in flight to reset the nonce (reset ${cancelling.resetId}): ${left} left.`,
    nextAction: 'It gets a nonce after all of them have ended and the nonce is reset.',
    nextActionAt: null,
  }
}

function slotsTaken({ intent: { lane } }: Queued, context: ExplainContext): Finding | null {
  const { lowestUnmined, inFlight, unmined } = context.lane
  const { held, slots } = countSlots(context)
  const unfinal = inFlight - unmined
  const isUnfinalFull = unfinal >= context.policy.maxUnfinal
  if (held < slots && !isUnfinalFull) return null
  const next = { cause: 'waiting_for_slot', nextActionAt: null } as const
  const reserved = isUnfinalFull ? null : slotsReserved(context, { held, slots })
  if (reserved !== null) return reserved
  if (isUnfinalFull || lowestUnmined === null) {
    const [taken, most] = isUnfinalFull ? [unfinal, context.policy.maxUnfinal] : [held, slots]
    return {
      ...next,
      blockedBy: { type: 'slot', inFlight: taken, maxInFlight: most },
      summary: `${spellTaken(taken, most)} by mined transactions that are not final yet.${ahead(context)}`,
      nextAction: `The first in the queue gets a nonce as soon as one of them is final.${waysToSendMore(lane.signer, context)}`,
    }
  }
  const { nonce, txId, state } = lowestUnmined
  const stuck = state === 'STUCK' ? ' It needs an operator.' : ''
  const until = context.policy.slotHeldUntil
  return {
    ...next,
    blockedBy: { type: 'transaction', ...lowestUnmined },
    summary: `${spellTaken(held, slots)}${spellWindow(context)}. The lowest unmined one is nonce ${nonce} of ${txId}, which is ${state}.${stuck}${ahead(context)}`,
    nextAction: `The first in the queue gets a nonce as soon as one in flight is ${until}; nonce ${nonce} comes first.${waysToSendMore(lane.signer, context)}`,
  }
}

/** One at a time, each until it is final, is the careful default; who waits in its queue may not know of the other. */
function waysToSendMore(signer: string, { policy, queueAhead, lane }: ExplainContext): string {
  if (lane.lowestUnmined?.state === 'STUCK') return ''
  const isOneByOne = policy.maxInFlight === 1 && policy.slotHeldUntil === 'final'
  if (!isOneByOne || queueAhead === null || queueAhead === 0) return ''
  return ` This signer sends one at a time. To send many at once: drover signer policy ${signer} --preset fast.`
}

/** If a reserved nonce is the lowest of all, it comes first: nothing is mined, and no slot frees up, before it. */
function slotsReserved(context: ExplainContext, taken: { held: number; slots: number }): Finding | null {
  const { lowestReserved, lowestUnmined, reserved } = context.lane
  if (lowestReserved === null || (lowestUnmined !== null && lowestUnmined.nonce < lowestReserved.nonce)) return null
  const by = reserved === 1 ? 'by a reservation' : 'by reservations'
  const share = reserved === taken.held ? ` ${by}` : `, ${reserved} ${by}`
  return {
    cause: 'blocked_by_reservation',
    blockedBy: { type: 'reservation', ...lowestReserved },
    summary: `${spellTaken(taken.held, taken.slots)}${share}. The lowest is nonce ${lowestReserved.nonce}, which is ${spellReservation(lowestReserved, context.now)}.${ahead(context)}`,
    ...freeReservation(lowestReserved, context),
  }
}

function spellTaken(taken: number, slots: number): string {
  return `${taken} of ${spellCount(slots, 'slot')} ${taken === 1 ? 'is' : 'are'} taken`
}

const WHY: Readonly<Record<ShownWindow['reason'], string | null>> = {
  start: 'the limit grows while RPC nodes keep what is sent',
  all_kept: 'the limit grows while RPC nodes keep what is sent',
  at_limit: null,
  pool_full: 'the mempool is full',
  dropped: 'RPC nodes keep no more transactions of this account',
  nonce_gap: 'RPC nodes accept no nonce further ahead',
  delegated: 'the account has delegated code (EIP-7702), and RPC nodes keep only one transaction of it',
}

function spellWindow({ lane: { window } }: ExplainContext): string {
  const why = window && WHY[window.reason]
  return why === null ? '' : ` (${why})`
}

const DEFERRALS: Readonly<Record<string, { readonly cause: Cause; readonly cure: string }>> = {
  waiting_for_node: { cause: 'waiting_for_node', cure: 'an RPC node responds' },
  waiting_for_predecessor: { cause: 'waiting_for_predecessor', cure: 'the transactions before it are mined' },
  waiting_for_funds: { cause: 'waiting_for_funds', cure: 'the account has enough funds' },
  waiting_for_key: { cause: 'waiting_for_key', cure: 'its key can sign again' },
  fee_above_cap: { cause: 'fee_above_cap', cure: 'gas costs no more than the limit and the offer' },
}

/** Checked with every block; the time of the next try is only for a chain without blocks. */
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
    summary: `${cause === 'waiting_for_key' ? 'Signing' : 'Preparing'} it failed ${spellCount(tx.prepareFailures, 'time')}: ${why} It has no nonce yet.${ahead(context)}`,
    nextAction: WATCHED.includes(cause)
      ? `Drover checks it again with every block, and at ${spellTime(nextActionAt)} at the latest. It gets a nonce once ${cure}.`
      : cause === 'waiting_for_key'
        ? `Drover signs it as soon as the key store responds, and tries at ${spellTime(nextActionAt)} at the latest.`
        : `Drover prepares it again at ${spellTime(nextActionAt)}. It gets a nonce once ${cure}.`,
    nextActionAt,
  }
}

/** Causes of the first in the queue that hold up those behind it. */
const HOLDS: Readonly<Partial<Record<LaneProblem['code'], Cause>>> = {
  out_of_funds: 'waiting_for_funds',
  fee_above_cap: 'fee_above_cap',
  key_unavailable: 'waiting_for_key',
}

/** The first in the queue, if it holds up this one. */
export function findHolder(tx: Transaction, { lane: { heldBy }, queueAhead }: ExplainContext): LaneProblem | null {
  if (heldBy === undefined || heldBy.txId === null || HOLDS[heldBy.code] === undefined) return null
  return tx.state === 'QUEUED' && heldBy.txId !== tx.id && queueAhead !== null && queueAhead > 0 ? heldBy : null
}

/** A signer that keeps the order of its queue waits with its first. */
function behindFirst(tx: Queued, context: ExplainContext): Finding | null {
  const first = findHolder(tx, context)
  const cause = first && HOLDS[first.code]
  if (first === null || cause == null) return null
  const why = first.detail === null ? '' : `: ${first.detail}`
  return {
    cause,
    blockedBy: { type: 'lane', ...tx.intent.lane },
    summary: `${spellAhead(context)} The first, ${first.txId}, holds up the others${why}.`,
    nextAction: 'It gets a nonce after those ahead of it have theirs. This signer keeps the order of its queue.',
    nextActionAt: null,
  }
}

function inLine({ intent: { lane } }: Queued, context: ExplainContext): Finding | null {
  const { queueAhead } = context
  if (queueAhead === null || queueAhead === 0) return null
  return {
    cause: 'waiting_in_line',
    blockedBy: { type: 'lane', ...lane },
    summary: spellAhead(context),
    nextAction: 'It gets a nonce after those ahead of it have theirs.',
    nextActionAt: null,
  }
}

function spellAhead({ queueAhead }: ExplainContext): string {
  return `${spellCount(queueAhead ?? 0, 'transaction')} of the same signer ${queueAhead === 1 ? 'is' : 'are'} ahead of it in the queue.`
}

function preparing(context: ExplainContext): Finding {
  const { held, slots } = countSlots(context)
  return {
    cause: 'preparing',
    summary: `It is next in the queue. ${spellTaken(held, slots)}.`,
    nextAction: 'Drover estimates its gas, sets its price, signs it, stores it with its nonce and sends it.',
    nextActionAt: context.now,
  }
}

function ahead({ queueAhead }: ExplainContext): string {
  return queueAhead === null || queueAhead === 0
    ? ''
    : ` Ahead of it in the queue: ${spellCount(queueAhead, 'transaction')}.`
}
