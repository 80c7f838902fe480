/** One node's engine: for each chain a follower and a tracker, one writer for all, and the lanes that the keeper holds. */
import type { ChainHealth } from '../core/chain/chain-health.ts'
import type { ChainView, Finality } from '../core/chain/finality.ts'
import type { SilentNode } from '../core/explain/describe-problem.ts'
import { laneKey } from '../core/lane/lane.ts'
import { STABLE } from '../core/lane/policy.ts'
import type { TxId } from '../core/transaction/transaction.ts'
import type { Chain } from '../ports/chain.ts'
import type { Clock, Random } from '../ports/clock.ts'
import type { Signer } from '../ports/signer.ts'
import type { Notice, Store } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { type BalanceReader, createBalanceReader } from './balance/balance-reader.ts'
import { createLaneKeeper, type KeeperSettings } from './cluster/lane-keeper.ts'
import { createFeeMarkets, type FeeMarkets } from './fees/fee-markets.ts'
import { type BlockFollower, createBlockFollower } from './follow/block-follower.ts'
import { type ChainWatch, createChainWatch } from './follow/chain-watch.ts'
import { createFinalReorgWatch, type FinalReorgWatch } from './follow/final-reorg.ts'
import { createHeaderKeeper } from './follow/header-keeper.ts'
import { createInclusionTracker, type InclusionTracker } from './follow/inclusion-tracker.ts'
import { type Broadcaster, createBroadcaster } from './lane/broadcaster.ts'
import { createLane } from './lane/lane.ts'
import type { LaneSignal } from './lane/lane-runner.ts'
import { withLogFields } from './log-fields.ts'
import { createWriter, type WriterSettings } from './write/writer.ts'

export interface ChainSettings {
  readonly finality: Finality
  readonly headerWindow: number
  readonly pollIntervalMs: number
  /** Roughly, until it can be observed. */
  readonly blockTimeMs: number
  /** Without a block for this long the chain is said to stand; null: ten block times. */
  readonly standingAfterMs: number | null
  readonly staleReceiptTimeoutMs: number
  readonly blockQueueLength: number
  readonly receiptBatch: number
  readonly receiptWorkers: number
  readonly fetchReceiptUponEntry: boolean
  /** The most that one transaction may cost in fees; null only where an operator wrote `none`. */
  readonly maxTxFeeWei: bigint | null
  /** Its nodes show the block that is being built. */
  readonly preconfirmations: boolean
}

export interface EngineSettings {
  readonly keeper: KeeperSettings
  readonly writer: WriterSettings
  readonly prepareBatch: number
  readonly prepareRetryMs: number
  /** What one tenant may hold of a window, in reserved nonces. */
  readonly sharePercent: number
  /** How often queues are looked at without having been told. */
  readonly queuePollMs: number
  /** How often the balances of quiet lanes are read. */
  readonly balanceIntervalMs: number
  readonly shutdownTimeoutMs: number
}

export interface EnginePorts {
  readonly store: Store
  readonly signer: Signer
  readonly clock: Clock
  readonly random: Pick<Random, 'id'>
  readonly telemetry: Telemetry
  readonly nodeId: string
  readonly address: string | null
  readonly chains: readonly { readonly chain: Chain; readonly settings: ChainSettings }[]
  readonly settings: EngineSettings
  /** The database's clock, as read with a heartbeat, and the monotonic moments around the question. */
  onDatabaseTime(nowMs: number, askedAt: number, answeredAt: number): void
  onStuck(txId: TxId, isOurs: () => boolean): void
}

interface ChainUnit {
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

export interface Engine {
  /** What gas costs, as the lanes see it. */
  readonly feeMarkets: FeeMarkets
  start(): Promise<void>
  followStatus(): readonly FollowStatus[]
  /** Calls whenever the view of a chain has changed, until the returned function is called. */
  onChain(listener: (chainId: number) => void): () => void
  /** The health of a chain for somebody who has waited for a block since then, or for this node; null for a chain that is not followed. */
  chainHealth(chainId: number, waitedSince: number | null): ChainHealth | null
  lanesHeld(): number
  /** Nodes that have not reported for too long, as of this node's last heartbeat. */
  silentNodes(): readonly SilentNode[]
  stop(): Promise<void>
}

const EXPIRE_BATCH = 1_000
/** How long a start waits for the first look at the chains, so that a node takes no lane that it could not drive. */
const FIRST_LOOK_MS = 1_000
/** The store keeps more headers than memory does, in windows: readers of confirmed blocks may be away for a while. */
const HEADERS_KEPT = 16
const SIGNALS = { 'lane.work': 'work', 'lane.amended': 'amended', 'lane.asked': 'asked' } as const

export function createEngine(ports: EnginePorts): Engine {
  const { store, clock, telemetry, settings, nodeId } = ports
  const writer = createWriter({ store, clock, telemetry, settings: settings.writer })
  const units = new Map(
    ports.chains.map(({ chain, settings: own }) => {
      const tell = (signal: LaneSignal) => tellLanes(chain.chainId, signal)
      return [chain.chainId, createUnit(chain, own, ports, tell)]
    }),
  )
  const headers = createHeaderKeeper({
    store,
    telemetry,
    keep: Math.max(...ports.chains.map((own) => own.settings.headerWindow)) * HEADERS_KEPT,
  })
  for (const { follower, chain, watch } of units.values()) {
    follower.onUpdate((update) => headers.save(chain.chainId, update))
    watch.onChange((health) => {
      tellLanes(chain.chainId, { type: 'health', health })
      keeper.poke()
    })
  }
  const feeMarkets = createFeeMarkets({
    clock,
    chains: new Map(ports.chains.map(({ chain }) => [chain.chainId, chain])),
    headOf: (chainId) => units.get(chainId)?.follower.view()?.head.hash ?? null,
  })
  let stopped = false
  let polling: Promise<void> | null = null
  let cancelPoll = (): void => {}
  let cancelBalances = (): void => {}
  let unlisten = (): void => {}

  const keeper = createLaneKeeper({
    store,
    clock,
    telemetry,
    nodeId,
    signer: ports.signer,
    address: ports.address,
    chainIds: new Set(units.keys()),
    reachable: () => [...units.values()].filter(({ watch }) => watch.isReachable()).map(({ chain }) => chain.chainId),
    settings: settings.keeper,
    onDatabaseTime: ports.onDatabaseTime,
    startLane: ({ lease, mayAct }, onFenced) => {
      const unit = units.get(lease.lane.chainId)
      if (unit === undefined) throw new Error(`no chain ${lease.lane.chainId} for a lane that was taken`)
      return createLane(lease, {
        store,
        writer,
        clock,
        telemetry: withLogFields(telemetry, { nodeId, ...lease.lane, fence: lease.fence }),
        signer: ports.signer,
        random: ports.random,
        chain: { ...unit.chain, getFeeMarket: () => feeMarkets.read(lease.lane.chainId) },
        broadcaster: unit.broadcaster,
        tracker: unit.tracker,
        balances: unit.balances,
        settings: { ...settings, ...unit.settings },
        policy: () => keeper.signer(lease.lane)?.policy ?? STABLE,
        isPaused: () => keeper.signer(lease.lane)?.paused ?? false,
        movingSince: unit.watch.movingSince,
        mayAct,
        onStuck: ports.onStuck,
        onFenced,
      })
    },
  })

  function tellLanes(chainId: number, signal: LaneSignal): void {
    for (const runner of keeper.running().values()) if (runner.lease.lane.chainId === chainId) runner.post(signal)
  }

  function hear(notice: Notice): void {
    switch (notice.type) {
      case 'lane.work':
      case 'lane.amended':
      case 'lane.asked':
        keeper.running().get(laneKey(notice.lane))?.post({ type: SIGNALS[notice.type] })
        return
      case 'lane.released':
      case 'nodes.changed':
        keeper.poke()
        return
      case 'gap':
        keeper.poke()
        for (const runner of keeper.running().values()) runner.post({ type: 'amended' })
        return
      case 'events.appended':
        return
    }
  }

  /** Notifications are only hints: what they may have missed is found here, one statement for all lanes. */
  async function pollQueues(): Promise<void> {
    try {
      await expire()
      for (const lane of await store.lanesAsked(nodeId)) keeper.running().get(laneKey(lane))?.post({ type: 'asked' })
      for (const lane of await store.lanesWithWork(nodeId)) keeper.running().get(laneKey(lane))?.post({ type: 'work' })
    } catch (error) {
      telemetry.log('warn', 'could not poll the queues; retrying', { error })
    }
    if (!stopped) schedulePoll()
  }

  function schedulePoll(): void {
    cancelPoll = clock.schedule(settings.queuePollMs, () => {
      polling = pollQueues()
    })
  }

  /** All lanes at once, so that they share a request. */
  function scheduleBalances(): void {
    cancelBalances = clock.schedule(settings.balanceIntervalMs, () => {
      for (const runner of keeper.running().values()) runner.post({ type: 'balance.due' })
      scheduleBalances()
    })
  }

  async function expire(): Promise<void> {
    for (const tx of await store.readExpired(nodeId, EXPIRE_BATCH)) {
      keeper
        .running()
        .get(laneKey(tx.intent.lane))
        ?.post({ type: 'expired', transactions: [tx] })
    }
  }

  return {
    start: async () => {
      unlisten = store.listen(hear)
      const looks = [...units.values()].map(async ({ chain, follower, finalReorgs }) => {
        const known = await headers.read(chain.chainId)
        finalReorgs.start(known.at(-1)?.number ?? null)
        follower.start(known)
        await follower.look()
      })
      let cancelWait = (): void => {}
      const late = new Promise<void>((resolve) => {
        cancelWait = clock.schedule(FIRST_LOOK_MS, resolve)
      })
      await Promise.race([Promise.all(looks), late])
      cancelWait()
      await keeper.start()
      schedulePoll()
      scheduleBalances()
    },
    feeMarkets,
    followStatus: () => [...units.values()].map(presentUnit),
    onChain: (listener) => {
      const ends = [...units.values()].map(({ chain, follower }) => follower.onUpdate(() => listener(chain.chainId)))
      return () => {
        for (const end of ends) end()
      }
    },
    chainHealth: (chainId, waitedSince) => units.get(chainId)?.watch.health(waitedSince) ?? null,
    lanesHeld: () => keeper.running().size,
    silentNodes: keeper.silent,
    stop: async () => {
      stopped = true
      cancelPoll()
      cancelBalances()
      unlisten()
      await polling
      const cancelAbandon = clock.schedule(settings.shutdownTimeoutMs, () => writer.abandon())
      await keeper.stop().catch((error: unknown) => {
        telemetry.log('warn', 'could not release leases; they expire by themselves', { error })
      })
      await writer.drain()
      cancelAbandon()
      for (const unit of units.values()) {
        await unit.tracker.stop()
        await unit.follower.stop()
      }
    },
  }
}

/** A chain of which nothing came for so long cannot be reached, even if no request has failed: a node that limits is slow, not away. */
const QUIET_MS = 30_000
const QUIET_POLLS = 10

function createUnit(
  chain: Chain,
  settings: ChainSettings,
  { store, clock, telemetry, settings: { keeper } }: EnginePorts,
  tell: (signal: LaneSignal) => void,
): ChainUnit {
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
  const unreachableAfterMs = keeper.leaseTtlMs / 2
  const watch = createChainWatch({
    ...{ chain, follower, clock, telemetry, isWaiting: tracker.hasUnmined },
    settings: {
      ...{ standingAfterMs: settings.standingAfterMs, blockTimeMs: settings.blockTimeMs, unreachableAfterMs },
      quietAfterMs: Math.max(QUIET_MS, unreachableAfterMs, settings.pollIntervalMs * QUIET_POLLS),
    },
  })
  const finalReorgs = createFinalReorgWatch({
    ...{ chain, store, telemetry, finality: settings.finality },
    onFinalReorg: (reorg) => tell({ type: 'finality.broken', reorg }),
  })
  follower.onUpdate(finalReorgs.take)
  const broadcaster = createBroadcaster({ chain, clock, telemetry })
  return { chain, settings, follower, tracker, broadcaster, balances: createBalanceReader(chain), watch, finalReorgs }
}

function presentUnit({ chain, settings, follower, watch }: ChainUnit): FollowStatus {
  return {
    chainId: chain.chainId,
    view: follower.view(),
    finality: settings.finality,
    health: watch.health(),
    lastError: follower.lastError(),
  }
}
