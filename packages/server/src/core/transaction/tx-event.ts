/**
 * Everything that can happen to a transaction. Past tense: each is a fact that was observed or decided elsewhere. An
 * event about an inclusion, a nonce or bytes names which one it is about, so it cannot be mistaken for another.
 */

import type { ChainTime } from '../chain/chain-time.ts'
import type { Confirmation, Inclusion } from '../chain/finality.ts'
import type { SendOutcome } from '../chain/send-outcome.ts'
import type { FeeLimit } from '../fees/fee-limit.ts'
import type { Hash } from '../hex.ts'
import type { NonceProof } from '../lane/nonce-user.ts'
import type { Approval, ApprovalVote } from '../rules/approval.ts'
import type { Attempt, SubState, TxError, TxState } from './transaction.ts'

export type TxEvent =
  | {
      readonly type: 'prepare.deferred'
      readonly at: number
      readonly subState: SubState
      readonly error: TxError
      readonly retryAt: number
    }
  | { readonly type: 'prepare.rejected'; readonly at: number; readonly error: TxError }
  | { readonly type: 'deadline.passed'; readonly at: number }
  /** The newest block of its chain, for one that waits for a height or a time. */
  | { readonly type: 'schedule.reached'; readonly at: number; readonly chain: ChainTime }
  /** Its rules ask for an approval that it does not have. */
  | { readonly type: 'approval.required'; readonly at: number; readonly approval: Approval }
  /** `revoked`: keys that voted before, and do not count any more. */
  | {
      readonly type: 'approval.given'
      readonly at: number
      readonly vote: ApprovalVote
      readonly revoked?: readonly string[]
    }
  | { readonly type: 'approval.refused'; readonly at: number; readonly by: OperatorAct }
  /** By the database's clock. */
  | { readonly type: 'approval.expired'; readonly at: number }
  | {
      readonly type: 'nonce.allocated'
      readonly at: number
      readonly nonce: number
      readonly attempt: Attempt
      readonly fence: number
      readonly nodeId: string
    }
  | { readonly type: 'broadcast.answered'; readonly at: number; readonly hash: Hash; readonly outcome: SendOutcome }
  | { readonly type: 'resubmit.claimed'; readonly at: number }
  /** Signed to replace the newest one under the same nonce. */
  | { readonly type: 'attempt.added'; readonly at: number; readonly attempt: Attempt }
  /** The nodes refuse its price, and it may offer no more: an empty transaction takes its nonce. */
  | { readonly type: 'way.made'; readonly at: number; readonly message: string; readonly mayPass: boolean }
  /** A replacement would have to offer more per gas than it may. */
  | {
      readonly type: 'fee.capped'
      readonly at: number
      readonly neededWei: bigint
      readonly capWei: bigint
      /** The cap and its source, in words. */
      readonly allowed?: string
      readonly limit?: FeeLimit
    }
  /** One of its hashes has a receipt in a block that the chain does not have yet. */
  | {
      readonly type: 'preconfirmation.seen'
      readonly at: number
      readonly hash: Hash
      readonly blockNumber: number
      readonly succeeded: boolean
    }
  /** The chain is past the block that should hold it, and no node shows it any more. */
  | { readonly type: 'preconfirmation.lost'; readonly at: number; readonly blockNumber: number | null }
  | { readonly type: 'inclusion.seen'; readonly at: number; readonly inclusion: Inclusion }
  | { readonly type: 'inclusion.reorged'; readonly at: number; readonly blockHash: Hash }
  | {
      readonly type: 'confirmations.replaced'
      readonly at: number
      /** The block of the inclusion under them. */
      readonly blockHash: Hash
      readonly confirmations: readonly Confirmation[]
    }
  | {
      readonly type: 'finality.reached'
      readonly at: number
      readonly blockHash: Hash
      readonly confirmations: readonly Confirmation[]
    }
  /** A final transaction that is not ours used the nonce: ours can never be mined under it. */
  | { readonly type: 'nonce.lost'; readonly at: number; readonly proof: NonceProof }
  /** A bump was not signed: it would revert, or the account cannot pay for it. */
  | { readonly type: 'bump.refused'; readonly at: number; readonly error: TxError }
  | {
      readonly type: 'time.passed'
      readonly at: number
      /** Since when the chain makes blocks without a break: earlier time says nothing about a transaction. */
      readonly movingSince?: number
      readonly blockedByNonce: number | null
    }
  | { readonly type: 'operator.suspended'; readonly at: number; readonly by: OperatorAct }
  | { readonly type: 'operator.resumed'; readonly at: number; readonly by: OperatorAct }
  | { readonly type: 'operator.retried'; readonly at: number; readonly by: OperatorAct }
  | { readonly type: 'operator.cancelled'; readonly at: number; readonly by: OperatorAct }
  | { readonly type: 'operator.sped_up'; readonly at: number; readonly by: OperatorAct }
  /** Each of these carries the proof of how the nonce was used, found when it was ordered. */
  | {
      readonly type: 'operator.resolved' | 'operator.requeued' | 'operator.closed'
      readonly at: number
      readonly by: OperatorAct
      readonly proof: NonceProof
    }

/** Who did it and why: every operator action needs both. */
export interface OperatorAct {
  readonly actor: string
  readonly reason: string
}

/**
 * The types of history entries that end a transaction, if they leave it in a terminal state. One stored change has at
 * most one of them, so each transaction has exactly one completion.
 */
export const COMPLETING_EVENTS = [
  'finality.reached',
  'prepare.rejected',
  'deadline.passed',
  'approval.refused',
  'approval.expired',
  'operator.cancelled',
  'operator.resolved',
  'operator.closed',
  'broadcast.rejected',
  'cancel.settled',
] as const

/**
 * The types of history entries that add nothing when they repeat: within one state they are kept as one entry for each
 * cause and sub-state, with a count. Everything else, and every change of state, is a separate entry.
 */
export const ROUTINE_EVENTS = ['resubmit.claimed', 'broadcast.answered', 'prepare.deferred'] as const

/** What one transition adds to the history and the event stream. */
export interface HistoryNote {
  /** The event's type, e.g. `inclusion.seen`. */
  readonly type: string
  /** One plain word or code that says why, e.g. a send outcome; null if the type says it all. */
  readonly cause: string | null
  readonly detail: Readonly<Record<string, unknown>>
  /** The states before and after this transition, if several are stored together; otherwise those of the whole save. */
  readonly step?: {
    readonly from: TxState
    readonly fromSubState: SubState
    readonly to: TxState
    readonly subState: SubState
  }
}
