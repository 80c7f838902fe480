/** States and sub-states in a few words. The sentences come from the service, which knows more: see its `explain`. */
import type { TransactionResource } from '../api/api-resources.ts'

export type TxState = TransactionResource['state']
type SubState = TransactionResource['subState']

export const STATE_NAMES: Readonly<Record<TxState, string>> = {
  QUEUED: 'Queued',
  ALLOCATED: 'Allocated',
  TRACKING: 'Tracking',
  CONFIRMED: 'Confirmed',
  FAILED_FINAL: 'Failed',
  STUCK: 'Stuck',
  CANCELLED: 'Cancelled',
  EXPIRED: 'Expired',
}

const SUB_STATE_WORDS: Readonly<Record<SubState, string>> = {
  accepted: 'accepted',
  preparing: 'being prepared',
  waiting_for_slot: 'waiting for a slot',
  waiting_for_node: 'waiting for an RPC node',
  waiting_for_predecessor: 'waiting for an earlier transaction',
  waiting_for_funds: 'waiting for funds',
  waiting_for_key: 'waiting for its key',
  fee_above_cap: 'gas price above the limit',
  held_by_rule: 'held by a spending rule',
  awaiting_approval: 'waiting for approval',
  signed: 'signed',
  pending: 'waiting to be mined',
  preconfirmed: 'preconfirmed',
  stale: 'sent again',
  rejected_by_node: 'refused by the RPC node',
  making_way: 'refused, being replaced',
  blocked_by_predecessor: 'blocked by a lower nonce',
  mined: 'mined',
  reorged: 'reorged out',
  suspended: 'suspended',
  rejected: 'rejected',
  not_approved: 'not approved',
  final: 'final',
  cancelled: 'cancelled',
  expired: 'expired',
  foreign_nonce: 'nonce used elsewhere',
  no_inclusion: 'not mined in time',
  replaced: 'replaced by another transaction',
  resolved: 'resolved by an operator',
}

export function describeSubState(subState: SubState): string {
  return SUB_STATE_WORDS[subState]
}

export function isTerminal(state: TxState): boolean {
  return state === 'CONFIRMED' || state === 'FAILED_FINAL' || state === 'CANCELLED' || state === 'EXPIRED'
}
