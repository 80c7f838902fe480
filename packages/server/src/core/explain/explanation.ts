/** What an explanation says, and what must be known around a transaction to give one. */
import type { ChainHealth } from '../chain/chain-health.ts'
import type { Finality } from '../chain/finality.ts'
import type { Address } from '../hex.ts'
import type { Policy } from '../lane/policy.ts'
import type { LowestReserved } from '../lane/reservation.ts'
import type { ShownWindow } from '../lane/window.ts'
import type { TxId, TxState } from '../transaction/transaction.ts'

/** Why a transaction is where it is. Stable codes: programs may match on them. */
export const CAUSES = [
  'chain_unreachable',
  'chain_standing',
  'chain_rewound',
  'nonces_missing',
  'suspended',
  'deadline_passed',
  'no_owner',
  'lane_paused',
  'lane_cancelling',
  'waiting_for_slot',
  'waiting_for_node',
  'waiting_for_predecessor',
  'waiting_for_funds',
  'fee_above_cap',
  'waiting_in_line',
  'preparing',
  'not_sent',
  'no_answer',
  'rejected_by_node',
  'making_way',
  'nonce_gap',
  'blocked_by_predecessor',
  'blocked_by_reservation',
  'pending',
  'preconfirmed',
  'fee_below_base',
  'bump_refused',
  'stale',
  'reorged',
  'waiting_for_finality',
  'foreign_nonce',
  'no_inclusion',
  'confirmed',
  'reverted',
  'resolved',
  'cancelled',
  'cancelled_on_chain',
  'replaced',
  'rejected',
  'expired',
] as const
export type Cause = (typeof CAUSES)[number]

export type BlockedBy =
  | { readonly type: 'transaction'; readonly txId: TxId; readonly nonce: number; readonly state: TxState }
  | ({ readonly type: 'reservation' } & LowestReserved)
  | { readonly type: 'lane'; readonly chainId: number; readonly signer: Address }
  | { readonly type: 'chain'; readonly chainId: number }
  | { readonly type: 'slot'; readonly inFlight: number; readonly maxInFlight: number }
  /** Nobody runs the lane; `nodeId` is who did last, where that is known. */
  | { readonly type: 'node'; readonly nodeId: string | null }

export interface ExplainContext {
  readonly now: number
  readonly policy: Policy
  /** The rule that applies to this very transaction. */
  readonly finality: Finality
  /** The health of the chain for somebody who has waited as long as this transaction. */
  readonly chain: ChainHealth
  /** Height of the chain as this node sees it; null until it saw a block. */
  readonly head: number | null
  /** What the next block asks per gas, in wei; null where that is not known or there is no base fee. */
  readonly baseFeeWei: bigint | null
  /** How many stand before it in its lane's queue; null if it is not queued. */
  readonly queueAhead: number | null
  readonly lane: {
    readonly owner: {
      readonly nodeId: string
      readonly fence: number
      readonly expiresAt: number
      readonly live: boolean
      /** Since when it has said nothing, where that is too long; its lease may still be live. */
      readonly silentSince: number | null
    } | null
    readonly inFlight: number
    /** Those of them that are reserved by callers. */
    readonly reserved: number
    /** Those of them that are in no block. */
    readonly unmined: number
    /** How many may hold a slot now, as the owner found it; null until one ran the lane. */
    readonly window: ShownWindow | null
    readonly paused: boolean
    /** An operator has everything in flight cancelled, and so many are left; left out where none does. */
    readonly cancelling?: { readonly resetId: string; readonly left: number }
    /** Of all nonces that are reserved by callers and are in no block, the lowest. */
    readonly lowestReserved: LowestReserved | null
    /** Nonces below all that are in flight that were final once and that the chain does not count any more; null where there are none. */
    readonly missingNonces: { readonly from: number; readonly to: number } | null
    /** Of all transactions of the lane that have a nonce and are in no block, the one with the lowest. */
    readonly lowestUnmined: { readonly txId: TxId; readonly nonce: number; readonly state: TxState } | null
  }
}

/** What was found out; what an operator could do about it is added to every finding alike. */
export interface Finding {
  readonly summary: string
  readonly cause: Cause
  readonly blockedBy?: BlockedBy
  readonly nextAction: string
  /** Null where it depends on something that has no set time: a block, an operator, another transaction. */
  readonly nextActionAt: number | null
}
