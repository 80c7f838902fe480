/** What a lane needs from the rest of its node. */
import type { Finality } from '../../core/chain/finality.ts'
import type { Policy } from '../../core/lane/policy.ts'
import type { TxId } from '../../core/transaction/transaction.ts'
import type { Chain } from '../../ports/chain.ts'
import type { Clock, Random } from '../../ports/clock.ts'
import type { Signer } from '../../ports/signer.ts'
import type { Store } from '../../ports/store.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { BalanceReader } from '../balance/balance-reader.ts'
import type { InclusionTracker } from '../follow/inclusion-tracker.ts'
import type { ReviewSigning } from '../rules/review-signing.ts'
import type { Writer } from '../write/writer.ts'
import type { Broadcaster } from './broadcaster.ts'

export interface LanePorts {
  readonly store: Store
  readonly writer: Writer
  readonly chain: Chain
  readonly signer: Signer
  readonly clock: Clock
  readonly random: Pick<Random, 'id'>
  readonly telemetry: Telemetry
  readonly broadcaster: Broadcaster
  readonly tracker: InclusionTracker
  readonly balances: BalanceReader
  /** The spending rules, before anything is signed. Left out: there are none. */
  readonly rules?: ReviewSigning
  readonly settings: LaneSettings
  policy(): Policy
  isPaused(): boolean
  /** Since when the chain makes blocks without a break; null while it does not. */
  movingSince(): number | null
  /** False once another node may hold the lease. */
  mayAct(): boolean
  /** A transaction of this lane cannot advance and needs a decision. */
  onStuck(txId: TxId, isOurs: () => boolean): void
  /** The lease is gone, and the lane has stopped by itself. */
  onFenced(): void
}

export interface LaneSettings {
  readonly finality: Finality
  readonly prepareBatch: number
  readonly prepareRetryMs: number
  /** The chain's cap on the fee of one transaction; null only if an operator set `none`. */
  readonly maxTxFeeWei: bigint | null
  /** How much of the window one tenant may hold in reserved nonces. */
  readonly sharePercent: number
  /** The maximum age of the known balance of the account. */
  readonly balanceIntervalMs: number
}
