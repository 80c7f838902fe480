/** A running lane, as the rest of the engine sees it: something that takes signals until it is stopped. */
import type { ChainView, Confirmation, Finality, Inclusion } from '../core/finality.ts'
import type { Hash } from '../core/hex.ts'
import type { Lease } from '../core/lane.ts'
import type { SendOutcome } from '../core/send-outcome.ts'
import type { Intent, Queued, TxId } from '../core/transaction.ts'
import type { Preparation } from './prepare.ts'

export type LaneSignal =
  | { readonly type: 'work' }
  | { readonly type: 'amended' }
  | { readonly type: 'tick' }
  | {
      readonly type: 'answers'
      readonly answers: readonly { readonly txId: TxId; readonly hash: Hash; readonly outcome: SendOutcome }[]
    }
  | {
      readonly type: 'inclusions'
      readonly inclusions: readonly { readonly txId: TxId; readonly inclusion: Inclusion }[]
    }
  /** `forkFrom`: lowest height whose block changed, where the chain was reorganised. */
  | { readonly type: 'chain'; readonly view: ChainView; readonly forkFrom: number | null }
  /** Deeper than the header window: the node says that the inclusion's block is canonical, with these on top of it. */
  | {
      readonly type: 'deep'
      readonly txId: TxId
      readonly blockHash: Hash
      readonly confirmations: readonly Confirmation[]
    }
  | { readonly type: 'withdrawn'; readonly txId: TxId; readonly blockHash: Hash }
  | { readonly type: 'nonce.lost'; readonly txId: TxId; readonly nonce: number }
  | { readonly type: 'prepared'; readonly preparations: readonly Preparation[]; readonly chainCount: number | null }
  | { readonly type: 'prepare.held'; readonly until: number }
  | { readonly type: 'prepare.failed' }
  | { readonly type: 'expired'; readonly transactions: readonly Queued[] }

export interface LaneRunner {
  readonly lease: Lease
  /** The rule that decides when an inclusion of this intent is final. */
  finalityOf(intent: Intent): Finality
  post(signal: LaneSignal): void
  /** Finishes the cycle that runs and starts no other. */
  stop(): Promise<void>
}
