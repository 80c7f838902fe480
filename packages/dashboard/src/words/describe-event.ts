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

const PLAIN_TYPES: Readonly<Record<string, readonly [title: string, tone: EventTone]>> = {
  accepted: ['Accepted', 'plain'],
  'prepare.deferred': ['Not ready to send yet', 'warn'],
  'prepare.rejected': ['Rejected before it got a nonce', 'bad'],
  'broadcast.rejected': ['Refused as invalid', 'bad'],
  'deadline.passed': ['Deadline passed', 'warn'],
  'resubmit.claimed': ['Same bytes sent again', 'plain'],
  'bump.refused': ['Could not be sent with a higher fee', 'warn'],
  'fee.capped': ['The fee reached its cap', 'warn'],
  'preconfirmation.lost': ['Preconfirmed, but not mined', 'warn'],
  'inclusion.reorged': ['Its block was reorged out', 'warn'],
  'inclusion.blocked': ['Blocked by a lower nonce', 'warn'],
  'inclusion.unblocked': ['No longer blocked', 'plain'],
  'confirmations.replaced': ['Its confirmations were reorged', 'warn'],
  'finality.broken': ['Final blocks were reorged', 'bad'],
  'nonce.lost': ['Nonce used by another transaction', 'warn'],
  'nonce.used': ['Nonce used', 'plain'],
  'nonce.freed': ['Nonce is free again', 'plain'],
  'gap.found': ['A nonce below those in flight is unused', 'warn'],
  'reservation.granted': ['A nonce was reserved', 'plain'],
  'reservation.extended': ['A reservation was extended', 'plain'],
  'reservation.returned': ['A reserved nonce was given back', 'plain'],
  'reservation.used': ['The holder of a reserved nonce sent its transaction', 'plain'],
  'reservation.included': ['A reserved nonce was used in a block', 'plain'],
  'reservation.reorged': ['The block that used a reserved nonce was reorged out', 'warn'],
  'reservation.final': ['A reserved nonce was used, and that is final', 'plain'],
  'reservation.expired': ['A reservation expired', 'plain'],
  'reservation.yielded': ['A reserved nonce goes to an empty transaction', 'warn'],
  'reservation.stuck': ['A reserved nonce blocks the signer', 'bad'],
  'reservation.released': ['A reserved nonce was released', 'plain'],
  'reservation.fill_ordered': ['A reserved nonce is being filled', 'warn'],
  'stuck.declared': ['Stuck', 'bad'],
  'drift.found': ['Next nonce does not match the chain', 'warn'],
  'drift.ended': ['Next nonce matches the chain again', 'good'],
  'cursor.reset': ['Next nonce was reset', 'plain'],
  'cursor.reset_refused': ['The next nonce could not be reset', 'warn'],
  'lane.cancelling': ['Everything in flight is being cancelled', 'warn'],
  'signer.changed': ['Settings of the signer changed', 'plain'],
  'chain.unreachable': ['No RPC node responds', 'bad'],
  'chain.standing': ['The chain makes no blocks', 'bad'],
  'chain.rewound': ['The chain went back', 'bad'],
  'chain.recovered': ['The chain is well again', 'good'],
  'timer.skipped': ['Timer skips fires: the signer is out of funds', 'warn'],
  'timer.retired': ['Timer retired: too many reverts in a row', 'warn'],
  'balance.low': ['Balance is low', 'warn'],
  'balance.restored': ['Balance is sufficient again', 'good'],
  'schedule.reached': ['The block or time it waited for has come', 'plain'],
  'approval.required': ['Waits for approval', 'warn'],
  'approval.given': ['Approved', 'good'],
  'approval.refused': ['Not approved', 'bad'],
  'approval.expired': ['Not approved in time', 'bad'],
  'operator.suspended': ['Suspended by an operator', 'plain'],
  'operator.resumed': ['Resumed by an operator', 'plain'],
  'operator.retried': ['Retried by an operator', 'plain'],
  'operator.requeued': ['Put back in line by an operator', 'plain'],
  'operator.sped_up': ['Sped up by an operator', 'plain'],
  'operator.cancelled': ['Cancelled by an operator', 'plain'],
  'operator.closed': ['Closed by an operator', 'plain'],
  'operator.resolved': ['Resolved by an operator', 'plain'],
}

const ADDED: Readonly<Record<string, string>> = {
  bump: 'Signed again with a higher fee',
  cancel: 'Signed an empty transaction that cancels it',
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
    case 'attempt.added':
      return { title: ADDED[cause ?? ''] ?? 'Signed again', detail: null, tone: 'plain' }
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
    default: {
      const [title, tone] = PLAIN_TYPES[type] ?? []
      return title === undefined ? fallback : { title, detail: null, tone: tone ?? 'plain' }
    }
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
