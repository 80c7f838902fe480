/** Everything that one chain needs on a node, shared by all its lanes: a block follower, an inclusion tracker, a broadcaster. */
import type { ChainHealth } from '../core/chain/chain-health.ts'
import type { ChainView, Finality } from '../core/chain/finality.ts'
import type { Chain } from '../ports/chain.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { type BalanceReader, createBalanceReader } from './balance/balance-reader.ts'
import { type BlockFollower, createBlockFollower } from './follow/block-follower.ts'
import { type ChainWatch, createChainWatch } from './follow/chain-watch.ts'
import { createFinalReorgWatch, type FinalReorg, type FinalReorgWatch } from './follow/final-reorg.ts'
import { createInclusionTracker, type InclusionTracker } from './follow/inclusion-tracker.ts'
import { type Broadcaster, createBroadcaster } from './lane/broadcaster.ts'

export interface ChainSettings {
  readonly finality: Finality
  readonly headerWindow: number
  readonly pollIntervalMs: number
  /** An estimate, until it can be observed. */
  readonly blockTimeMs: number
  /** After this long without a block the chain counts as halted; null: ten block times. */
  readonly standingAfterMs: number | null
  readonly staleReceiptTimeoutMs: number
  readonly blockQueueLength: number
  readonly receiptBatch: number
  readonly receiptWorkers: number
  readonly fetchReceiptUponEntry: boolean
  /** The most that one transaction may cost in fees; null only if an operator set `none`. */
  readonly maxTxFeeWei: bigint | null
  /** Its nodes show the block that is being built. */
  readonly preconfirmations: boolean
}

export interface ChainUnit {
  readonly chain: Chain
  readonly settings: ChainSettings
  readonly follower: BlockFollower
  readonly tracker: InclusionTracker
  readonly broadcaster: Broadcaster
  readonly balances: BalanceReader
  readonly watch: ChainWatch
  readonly finalReorgs: FinalReorgWatch
}

export interface FollowStatus {
  readonly chainId: number
  readonly view: ChainView | null
  readonly finality: Finality
  readonly health: ChainHealth
  readonly lastError: string | null
}

interface UnitPorts {
  readonly store: Store
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly leaseTtlMs: number
  onFinalReorg(reorg: FinalReorg): void
}

/**
 * A chain that was silent for this long is unreachable, even if no request has failed: a node that rate-limits is slow,
 * not gone.
 */
const QUIET_MS = 30_000
const QUIET_POLLS = 10

export function createChainUnit(chain: Chain, settings: ChainSettings, ports: UnitPorts): ChainUnit {
  const { store, clock, telemetry } = ports
  for (const result of ['confirmed', 'failed', 'cancelled'])
    telemetry.count('drover_fees_wei_total', { chainId: chain.chainId, result }, 0)
  const depth = settings.finality.type === 'confirmations' ? settings.finality.count : 0
  const follower: BlockFollower = createBlockFollower({
    chain,
    clock,
    telemetry,
    settings: {
      windowSize: settings.headerWindow,
      initialDepth: Math.min(settings.headerWindow, depth + 8),
      // The chain's own hints come at the poll interval; this one is for what they cannot see, a head replaced at the same height.
      pollIntervalMs: settings.pollIntervalMs * 4,
      wantsTags: () => settings.finality.type !== 'confirmations' || tracker.wantsTags(),
    },
  })
  const tracker: InclusionTracker = createInclusionTracker({
    chain,
    follower,
    clock,
    telemetry,
    settings: { ...settings, lostAfterLooks: 3 },
  })
  const unreachableAfterMs = ports.leaseTtlMs / 2
  const watch = createChainWatch({
    chain,
    follower,
    clock,
    telemetry,
    isWaiting: tracker.hasUnmined,
    othersWaitMs: () => store.readUnminedAge(chain.chainId),
    settings: {
      standingAfterMs: settings.standingAfterMs,
      blockTimeMs: settings.blockTimeMs,
      unreachableAfterMs,
      quietAfterMs: Math.max(QUIET_MS, unreachableAfterMs, settings.pollIntervalMs * QUIET_POLLS),
    },
  })
  const finalReorgs = createFinalReorgWatch({
    chain,
    store,
    telemetry,
    finality: settings.finality,
    onFinalReorg: ports.onFinalReorg,
  })
  follower.onUpdate(finalReorgs.take)
  const broadcaster = createBroadcaster({ chain, clock, telemetry })
  return { chain, settings, follower, tracker, broadcaster, balances: createBalanceReader(chain), watch, finalReorgs }
}

export function presentFollowStatus({ chain, settings, follower, watch }: ChainUnit): FollowStatus {
  return {
    chainId: chain.chainId,
    view: follower.view(),
    finality: settings.finality,
    health: watch.health(),
    lastError: follower.lastError(),
  }
}
