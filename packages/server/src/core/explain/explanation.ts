/** What an explanation says, and the context that is needed to give one. */
import type { ChainHealth } from '../chain/chain-health.ts'
import type { Finality } from '../chain/finality.ts'
import type { Address } from '../hex.ts'
import type { LaneProblem } from '../lane/lane-problem.ts'
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
  'waiting_for_key',
  'fee_above_cap',
  'held_by_rule',
  'awaiting_approval',
  'scheduled',
  'not_approved',
  'waiting_in_line',
  'preparing',
  'send_endpoint_away',
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
  /** No node runs the lane; `nodeId` is the last that did, if known. */
  | { readonly type: 'node'; readonly nodeId: string | null }

export interface ExplainContext {
  readonly now: number
  readonly policy: Policy
  /** The rule that applies to this transaction. */
  readonly finality: Finality
  /** The health of the chain for a caller that has waited as long as this transaction. */
  readonly chain: ChainHealth
  /** Height of the chain as this node sees it; null until it saw a block. */
  readonly head: number | null
  /** Time of that block in milliseconds; null until it saw one. */
  readonly headTime?: number | null
  /** What the next block asks per gas, in wei; null if unknown or if there is no base fee. */
  readonly baseFeeWei: bigint | null
  /** How many are ahead of it in its lane's queue; null if it is not queued. */
  readonly queueAhead: number | null
  /** The only RPC endpoints that its bytes may go to, as this node sees them; null: all of the chain. */
  readonly sendsOnlyTo: readonly { readonly name: string; readonly state: string }[] | null
  readonly lane: {
    readonly owner: {
      readonly nodeId: string
      /** Its machine; null if it is not known. */
      readonly address: string | null
      readonly fence: number
      readonly expiresAt: number
      readonly live: boolean
      /** Since when it has not reported, if that is too long; its lease may still be live. */
      readonly silentSince: number | null
    } | null
    /** The node that answers has the key; omitted if that is not known. */
    readonly isKeyHere?: boolean
    readonly inFlight: number
    /** How many of them are reserved by callers. */
    readonly reserved: number
    /** How many of them are not mined yet. */
    readonly unmined: number
    /** How many may hold a slot now, as measured by the owner; null until one ran the lane. */
    readonly window: ShownWindow | null
    readonly paused: boolean
    /** Its bytes go only to its own send endpoints; `nodeWithout`: the node that answers, if it has none. Omitted: to any. */
    readonly sendsPrivately?: { readonly nodeWithout: string | null }
    /** What the first in the queue waits for, if the others wait for it; omitted otherwise. */
    readonly heldBy?: LaneProblem
    /** An operator is cancelling everything in flight, and this many are left; omitted otherwise. */
    readonly cancelling?: { readonly resetId: string; readonly left: number }
    /** The lowest nonce that is reserved by a caller and not mined yet. */
    readonly lowestReserved: LowestReserved | null
    /** A nonce in flight that the chain counts as used by a transaction that is not ours and not final; omitted: none. */
    readonly usedNonce?: number
    /** Once-final nonces below everything in flight that the chain no longer counts; null if there are none. */
    readonly missingNonces: { readonly from: number; readonly to: number } | null
    /** The transaction of the lane with the lowest nonce that is not mined yet. */
    readonly lowestUnmined: { readonly txId: TxId; readonly nonce: number; readonly state: TxState } | null
  }
}

/** The result; what an operator could do about it is added to every finding alike. */
export interface Finding {
  readonly summary: string
  readonly cause: Cause
  readonly blockedBy?: BlockedBy
  readonly nextAction: string
  /** Null if it depends on something without a set time: a block, an operator, another transaction. */
  readonly nextActionAt: number | null
}
