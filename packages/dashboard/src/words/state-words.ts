/** States and sub-states in words: short ones for lists, a sentence for somebody who wants to know what is going on. */
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

interface Words {
  readonly short: string
  readonly sentence: string
}

const SUB_STATE_WORDS: Readonly<Record<SubState, Words>> = {
  accepted: { short: 'accepted', sentence: 'It is stored safely and waits for its turn.' },
  preparing: { short: 'being prepared', sentence: 'Its gas and its price are being worked out.' },
  waiting_for_slot: {
    short: 'waiting for a slot',
    sentence:
      'As many transactions of this signer are in flight as its policy allows. It goes when one of them is final.',
  },
  waiting_for_node: {
    short: 'waiting for the chain node',
    sentence: 'The chain node cannot be reached. It is prepared again as soon as the node answers.',
  },
  waiting_for_predecessor: {
    short: 'waiting for its predecessor',
    sentence: 'A transaction before it has to be done first.',
  },
  waiting_for_funds: {
    short: 'waiting for funds',
    sentence: 'The signer cannot pay for gas and value. Fund the account; nothing else is needed.',
  },
  fee_above_cap: {
    short: 'fee above cap',
    sentence:
      'The chain asks for more than the cap of this signer allows. It goes when the price falls or the cap is raised.',
  },
  signed: {
    short: 'signed',
    sentence: 'It has its nonce, its signed bytes are stored, and they are about to be sent.',
  },
  pending: { short: 'waiting for a block', sentence: 'A chain node holds it. It waits for a block to take it in.' },
  stale: { short: 'sent again', sentence: 'No block took it in yet, so the same bytes were sent again.' },
  rejected_by_node: {
    short: 'refused by the node',
    sentence: 'The chain node refuses its bytes. It keeps its nonce, and the bytes are offered again.',
  },
  blocked_by_predecessor: {
    short: 'blocked by a lower nonce',
    sentence: 'A lower nonce of this signer is not in a block yet. This one cannot go before it.',
  },
  mined: {
    short: 'in a block',
    sentence: 'It is in a block. It counts as final when enough of the chain is on top of it.',
  },
  reorged: {
    short: 'left the chain',
    sentence: 'The block that held it left the chain. Its bytes were sent again, and it waits for another block.',
  },
  suspended: { short: 'suspended', sentence: 'An operator holds it back. Nothing is sent until it is resumed.' },
  rejected: { short: 'would fail', sentence: 'It would certainly have failed, so it took no nonce.' },
  final: { short: 'final', sentence: 'It is final. Nothing can change it any more.' },
  cancelled: { short: 'cancelled', sentence: 'It was cancelled.' },
  expired: { short: 'expired', sentence: 'Its deadline passed before it took a nonce. It was never sent.' },
  foreign_nonce: {
    short: 'nonce used elsewhere',
    sentence: 'Its nonce was used by a transaction that Drover did not send. An operator has to decide.',
  },
  no_inclusion: {
    short: 'in no block for too long',
    sentence:
      'No block took it in for longer than its policy allows. It is still watched, and a late inclusion counts.',
  },
  resolved: { short: 'settled by an operator', sentence: 'An operator settled it with the inclusion that was found.' },
}

export function describeSubState(subState: SubState): string {
  return SUB_STATE_WORDS[subState].short
}

export function explainTransaction(tx: Pick<TransactionResource, 'state' | 'subState'>): string {
  if (tx.state === 'FAILED_FINAL') return 'It was mined and reverted, finally. Its nonce is used and its gas is paid.'
  return SUB_STATE_WORDS[tx.subState].sentence
}

export function isTerminal(state: TxState): boolean {
  return state === 'CONFIRMED' || state === 'FAILED_FINAL' || state === 'CANCELLED' || state === 'EXPIRED'
}
