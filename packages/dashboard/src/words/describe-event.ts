/** One entry of the history in words. An entry of a kind that is not known here is shown by its own name. */
import type { EventResource } from '../api/api-resources.ts'
import { formatCount } from '../format/format-amount.ts'

export type EventTone = 'plain' | 'good' | 'warn' | 'bad'

export interface EventWords {
  readonly title: string
  /** More detail, for example the error of the node. */
  readonly detail: string | null
  readonly tone: EventTone
}

type Described = Pick<EventResource, 'type' | 'cause' | 'toState' | 'detail'>

const ANSWERS: Readonly<Record<string, EventWords>> = {
  accepted: { title: 'Sent and accepted by the RPC node', detail: null, tone: 'plain' },
  already_known: { title: 'Sent; the RPC node already had it', detail: null, tone: 'plain' },
  nonce_too_low: { title: 'Sent; the RPC node says the nonce is used', detail: null, tone: 'warn' },
  replacement_underpriced: {
    title: 'Refused: the price is too low to replace the earlier one',
    detail: null,
    tone: 'warn',
  },
  underpriced: { title: 'Refused: the price is too low', detail: null, tone: 'warn' },
  insufficient_funds: { title: 'Refused: not enough funds', detail: null, tone: 'warn' },
  nonce_gap: { title: 'Refused: a lower nonce is missing', detail: null, tone: 'warn' },
  pool_full: { title: 'Refused: the mempool is full', detail: null, tone: 'warn' },
  rate_limited: { title: 'Not accepted: rate limited by the RPC node', detail: null, tone: 'warn' },
  ambiguous: { title: 'Sent; no clear answer', detail: null, tone: 'warn' },
  rejected: { title: 'Refused as invalid', detail: null, tone: 'bad' },
}

const PLAIN_TYPES: Readonly<Record<string, EventWords>> = {
  accepted: { title: 'Accepted', detail: null, tone: 'plain' },
  'prepare.deferred': { title: 'Not ready to send yet', detail: null, tone: 'warn' },
  'prepare.rejected': { title: 'Rejected before it got a nonce', detail: null, tone: 'bad' },
  'deadline.passed': { title: 'Deadline passed', detail: null, tone: 'warn' },
  'resubmit.claimed': { title: 'Same bytes sent again', detail: null, tone: 'plain' },
  'preconfirmation.lost': { title: 'Preconfirmed, but not mined', detail: null, tone: 'warn' },
  'inclusion.reorged': { title: 'Its block was reorged out', detail: null, tone: 'warn' },
  'inclusion.blocked': { title: 'Blocked by a lower nonce', detail: null, tone: 'warn' },
  'confirmations.replaced': { title: 'Its confirmations were reorged', detail: null, tone: 'warn' },
  'nonce.lost': { title: 'Nonce used by another transaction', detail: null, tone: 'warn' },
  'reservation.stuck': { title: 'A reserved nonce blocks the signer', detail: null, tone: 'bad' },
  'reservation.released': { title: 'A reserved nonce was released', detail: null, tone: 'plain' },
  'reservation.fill_ordered': { title: 'A reserved nonce is being filled', detail: null, tone: 'warn' },
  'stuck.declared': { title: 'Stuck', detail: null, tone: 'bad' },
  'drift.found': { title: 'Next nonce does not match the chain', detail: null, tone: 'warn' },
  'drift.ended': { title: 'Next nonce matches the chain again', detail: null, tone: 'good' },
  'balance.low': { title: 'Balance is low', detail: null, tone: 'warn' },
  'balance.restored': { title: 'Balance is sufficient again', detail: null, tone: 'good' },
  'approval.required': { title: 'Waits for approval', detail: null, tone: 'warn' },
  'approval.given': { title: 'Approved', detail: null, tone: 'good' },
  'approval.refused': { title: 'Not approved', detail: null, tone: 'bad' },
  'approval.expired': { title: 'Not approved in time', detail: null, tone: 'bad' },
  'operator.suspended': { title: 'Suspended by an operator', detail: null, tone: 'plain' },
  'operator.resumed': { title: 'Resumed by an operator', detail: null, tone: 'plain' },
  'operator.retried': { title: 'Retried by an operator', detail: null, tone: 'plain' },
  'operator.cancelled': { title: 'Cancelled by an operator', detail: null, tone: 'plain' },
  'operator.resolved': { title: 'Resolved by an operator', detail: null, tone: 'plain' },
}

export function describeEvent(event: Described): EventWords {
  const words = findWords(event)
  return { ...words, detail: words.detail ?? describeDetail(event) }
}

function findWords(event: Described): EventWords {
  const { type, cause, detail, toState } = event
  const fallback: EventWords = { title: type, detail: cause, tone: 'plain' }
  switch (type) {
    case 'nonce.allocated':
      return { title: `Signed with nonce ${asText(detail.nonce) ?? '?'}`, detail: null, tone: 'plain' }
    case 'broadcast.answered':
      return ANSWERS[cause ?? ''] ?? fallback
    case 'preconfirmation.seen':
      return detail.succeeded === false
        ? { title: `Preconfirmed as reverted in ${nameBlock(detail)}`, detail: null, tone: 'warn' }
        : { title: `Preconfirmed in ${nameBlock(detail)}`, detail: null, tone: 'plain' }
    case 'inclusion.seen': {
      const where = nameBlock(detail)
      return detail.succeeded === false
        ? { title: `Reverted in ${where}`, detail: null, tone: 'bad' }
        : { title: `Mined in ${where}`, detail: null, tone: 'plain' }
    }
    case 'finality.reached':
      if (toState === 'FAILED_FINAL') return { title: 'Final: failed', detail: null, tone: 'bad' }
      return { title: toState === 'CANCELLED' ? 'Final: cancelled' : 'Final: confirmed', detail: null, tone: 'good' }
    default:
      return PLAIN_TYPES[type] ?? fallback
  }
}

/** The text that a person wrote, else the error of the node. */
function describeDetail({ type, cause, detail }: Described): string | null {
  const { message, nodeSaid, reason, actor } = detail
  const who = type.startsWith('operator.') || type.startsWith('approval.') ? asText(actor) : null
  const said = [message, reason, nodeSaid].flatMap((part) => asText(part) ?? [])
  const parts = [...(who === null ? [] : [who]), ...new Set(said)]
  if (parts.length > 0) return parts.join(': ')
  return cause === 'new_fork' ? 'reorg' : null
}

function nameBlock({ blockNumber }: Described['detail']): string {
  return typeof blockNumber === 'number' ? `block ${formatCount(blockNumber)}` : 'a block'
}

function asText(value: unknown): string | null {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : null
}
