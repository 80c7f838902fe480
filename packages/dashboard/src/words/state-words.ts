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
  waiting_for_node: 'waiting for the chain node',
  waiting_for_predecessor: 'waiting for its predecessor',
  waiting_for_funds: 'waiting for funds',
  fee_above_cap: 'fee above cap',
  signed: 'signed',
  pending: 'waiting for a block',
  preconfirmed: 'in the next block, by promise',
  stale: 'sent again',
  rejected_by_node: 'refused by the node',
  making_way: 'refused, making way',
  blocked_by_predecessor: 'blocked by a lower nonce',
  mined: 'in a block',
  reorged: 'left the chain',
  suspended: 'suspended',
  rejected: 'refused',
  final: 'final',
  cancelled: 'cancelled',
  expired: 'expired',
  foreign_nonce: 'nonce used elsewhere',
  no_inclusion: 'in no block for too long',
  resolved: 'settled by an operator',
}

export function describeSubState(subState: SubState): string {
  return SUB_STATE_WORDS[subState]
}

export function isTerminal(state: TxState): boolean {
  return state === 'CONFIRMED' || state === 'FAILED_FINAL' || state === 'CANCELLED' || state === 'EXPIRED'
}
