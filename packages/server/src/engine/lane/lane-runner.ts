/** A running lane, as the rest of the engine sees it: it takes signals until it is stopped. */
import type { ChainHealth } from '../../core/chain/chain-health.ts'
import type { ChainTime } from '../../core/chain/chain-time.ts'
import type { ChainView, Confirmation, Finality, Inclusion } from '../../core/chain/finality.ts'
import type { SendOutcome } from '../../core/chain/send-outcome.ts'
import type { Hash } from '../../core/hex.ts'
import type { Lease } from '../../core/lane/lane.ts'
import type { NonceProof } from '../../core/lane/nonce-user.ts'
import type { InFlight, Intent, Queued, TxId } from '../../core/transaction/transaction.ts'
import type { Block } from '../../ports/chain.ts'
import type { AccountCounts } from '../chain-counts/read-counts.ts'
import type { FinalReorg } from '../follow/final-reorg.ts'
import type { Preparation } from '../queue/prepare.ts'
import type { CountsSince } from '../reservations/request-counts.ts'

export type LaneSignal =
  | { readonly type: 'work' }
  /** An operator changed these transactions. Null: anything of the lane may have changed. */
  | { readonly type: 'amended'; readonly txIds: readonly TxId[] | null }
  /** The policy of the signer has changed. */
  | { readonly type: 'policy.changed' }
  /** A key store responds again, or there are other keys. */
  | { readonly type: 'keys.changed' }
  /** The lane's owner has a request to answer, or a lock has run out. */
  | { readonly type: 'asked' }
  | { readonly type: 'counts'; readonly counts: CountsSince }
  | { readonly type: 'tick' }
  /** The slow timer: the balance may be old. */
  | { readonly type: 'balance.due' }
  /** The chain halted, went back, cannot be reached, or has recovered. */
  | { readonly type: 'health'; readonly health: ChainHealth }
  /** Blocks that were final have left the chain. */
  | { readonly type: 'finality.broken'; readonly reorg: FinalReorg }
  | {
      readonly type: 'answers'
      readonly answers: readonly { readonly txId: TxId; readonly hash: Hash; readonly outcome: SendOutcome }[]
    }
  | {
      readonly type: 'inclusions'
      readonly inclusions: readonly { readonly txId: TxId; readonly inclusion: Inclusion }[]
    }
  /** A receipt of one of its hashes, in a block above the head. */
  | {
      readonly type: 'preconfirmed'
      readonly txId: TxId
      readonly hash: Hash
      readonly blockNumber: number
      readonly succeeded: boolean
    }
  | { readonly type: 'preconfirmation.lost'; readonly txId: TxId; readonly blockNumber: number | null }
  /** `forkFrom`: lowest height whose block changed, if the chain was reorged. `added`: the new blocks. */
  | {
      readonly type: 'chain'
      readonly view: ChainView
      readonly forkFrom: number | null
      readonly added?: readonly Block[]
    }
  /** Deeper than the header window: the node says that the inclusion's block is canonical, with these on top of it. */
  | {
      readonly type: 'deep'
      readonly txId: TxId
      readonly blockHash: Hash
      readonly confirmations: readonly Confirmation[]
    }
  | { readonly type: 'withdrawn'; readonly txId: TxId; readonly blockHash: Hash }
  | { readonly type: 'nonce.lost'; readonly txId: TxId; readonly nonce: number; readonly proof: NonceProof }
  | {
      readonly type: 'prepared'
      readonly preparations: readonly Preparation[]
      readonly counts: AccountCounts | null
      /** The queue read returned as many as requested: there may be more. */
      readonly isFull: boolean
      /** Transactions that wait for funds were read as well, before their time. */
      readonly hasUnfunded: boolean
      /** And those that wait for a price. */
      readonly hasPriced: boolean
      /** The first in line waits until then, and all behind it; null if nothing blocks the queue. */
      readonly heldUntil: number | null
    }
  | { readonly type: 'prepare.failed' }
  /** Their deadline has passed, or the chain has reached what they wait for. */
  | { readonly type: 'expired'; readonly transactions: readonly Queued[]; readonly chain?: ChainTime }

export interface LaneRunner {
  readonly lease: Lease
  /** The rule that decides when an inclusion of this intent is final. */
  finalityOf(intent: Pick<Intent, 'finality'>): Finality
  /** As of the last write; null while the lane is loaded. */
  inFlight(): Iterable<InFlight> | null
  post(signal: LaneSignal): void
  /** Finishes the current cycle and starts no other. */
  stop(): Promise<void>
}
