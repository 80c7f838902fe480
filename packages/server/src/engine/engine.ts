/** One node's engine: for each chain a follower and a tracker, one writer for all, and the lanes that the keeper holds. */
import type { ChainHealth } from '../core/chain/chain-health.ts'
import type { ChainView } from '../core/chain/finality.ts'
import type { SilentNode } from '../core/explain/describe-problem.ts'
import { STABLE } from '../core/lane/policy.ts'
import type { TxId } from '../core/transaction/transaction.ts'
import type { Chain } from '../ports/chain.ts'
import type { Clock, Random } from '../ports/clock.ts'
import type { Signer } from '../ports/signer.ts'
import type { Store } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { type ChainSettings, createChainUnit, type FollowStatus, presentFollowStatus } from './chain-unit.ts'
import { createLaneKeeper, type HeldLane, type KeeperSettings } from './cluster/lane-keeper.ts'
import type { SendsPrivately } from './cluster/send-binding.ts'
import { createFeeMarkets, type FeeMarkets } from './fees/fee-markets.ts'
import type { FinalReorg } from './follow/final-reorg.ts'
import { createHeaderKeeper } from './follow/header-keeper.ts'
import { createLane } from './lane/lane.ts'
import { createLaneReport, type ReportScene } from './lane/lane-report.ts'
import type { LaneRunner, LaneSignal } from './lane/lane-runner.ts'
import { createLaneWakes } from './lane-wakes.ts'
import { withLogFields } from './log-fields.ts'
import type { ReviewSigning } from './rules/review-signing.ts'
import { createWriter, type WriterSettings } from './write/writer.ts'

export interface EngineSettings {
  readonly keeper: KeeperSettings
  readonly writer: WriterSettings
  readonly prepareBatch: number
  readonly prepareRetryMs: number
  /** One tenant's share of a window, in reserved nonces. */
  readonly sharePercent: number
  /** How often queues are read without a notice. */
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
  /** Whether this node has a send endpoint of its own for the signer of a lane. Left out: for none. */
  readonly sendsPrivately?: SendsPrivately
  /** The spending rules, before anything is signed. Left out: there are none. */
  readonly rules?: ReviewSigning
  /** The database's clock, as read with a heartbeat, and the monotonic times before and after the query. */
  onDatabaseTime(nowMs: number, askedAt: number, answeredAt: number): void
  onStuck(txId: TxId, isOurs: () => boolean): void
}

export interface Engine {
  /** What gas costs, as the lanes see it. */
  readonly feeMarkets: FeeMarkets
  start(): Promise<void>
  followStatus(): readonly FollowStatus[]
  /** The chain as this node sees it, without the rest of its status: every answered transaction asks. */
  viewOf(chainId: number): ChainView | null
  /** Calls the listener whenever the view of a chain changes, until the returned function is called. */
  onChain(listener: (chainId: number) => void): () => void
  /** The chain's health for a caller that has waited for a block since then, or for this node; null if not followed. */
  chainHealth(chainId: number, waitedSince: number | null): ChainHealth | null
  lanesHeld(): number
  /** Sets the gauges of every lane that this node runs, from memory. */
  reportLanes(queueOf: ReportScene['queueOf']): void
  /** Reads the signers again and settles once every lane here follows what they say now. */
  applySigners(): Promise<void>
  /** A key store responds again, or there are other keys. */
  keysChanged(): void
  /** Nodes that have not reported for too long, as of this node's last heartbeat. */
  silentNodes(): readonly SilentNode[]
  stop(): Promise<void>
}

/** How long a start waits for the first look at the chains, so a node takes no lane that it could not run. */
const FIRST_LOOK_MS = 1_000
/** The store keeps more headers than memory, in windows: readers of confirmed blocks may be away for a while. */
const HEADERS_KEPT = 16
/** A lane that is taken this long after a final reorg hears of it too: its owner may have died before it told anyone. */
const REORG_TOLD_MS = 10 * 60_000
const REORGS_KEPT = 16

export function createEngine(ports: EnginePorts): Engine {
  const { store, clock, telemetry, settings, nodeId } = ports
  const writer = createWriter({ store, clock, telemetry, settings: settings.writer })
  const { leaseTtlMs } = settings.keeper
  let recentReorgs: readonly { readonly chainId: number; readonly at: number; readonly signal: LaneSignal }[] = []
  const units = new Map(
    ports.chains.map(({ chain, settings: own }) => {
      const onFinalReorg = (reorg: FinalReorg): void => {
        const signal = { type: 'finality.broken', reorg } as const
        recentReorgs = [...recentReorgs, { chainId: chain.chainId, at: clock.monotonic(), signal }].slice(-REORGS_KEPT)
        postToChain(chain.chainId, signal)
      }
      return [chain.chainId, createChainUnit(chain, own, { store, clock, telemetry, leaseTtlMs, onFinalReorg })]
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
      postToChain(chain.chainId, { type: 'health', health })
      keeper.poke()
    })
  }
  const feeMarkets = createFeeMarkets({
    clock,
    chains: new Map(ports.chains.map(({ chain }) => [chain.chainId, chain])),
    headOf: (chainId) => units.get(chainId)?.follower.view()?.head.hash ?? null,
  })
  const keeper = createLaneKeeper({
    store,
    clock,
    telemetry,
    nodeId,
    signer: ports.signer,
    address: ports.address,
    chainIds: new Set(units.keys()),
    reachable: () => [...units.values()].filter(({ watch }) => watch.isReachable()).map(({ chain }) => chain.chainId),
    sendsPrivately: ports.sendsPrivately ?? (() => false),
    settings: settings.keeper,
    onDatabaseTime: ports.onDatabaseTime,
    startLane,
  })
  const { queuePollMs, balanceIntervalMs } = settings
  const { report } = createLaneReport(telemetry)
  const wakes = createLaneWakes({
    store,
    keeper,
    clock,
    telemetry,
    nodeId,
    queuePollMs,
    balanceIntervalMs,
    chainTimes: () =>
      new Map(
        [...units].flatMap(([chainId, { follower }]) => {
          const head = follower.view()?.head
          return head === undefined ? [] : [[chainId, { height: head.number, timeMs: head.timestamp * 1_000 }]]
        }),
      ),
  })

  function startLane({ lease, mayAct }: HeldLane, onFenced: () => void): LaneRunner {
    const { lane, fence } = lease
    const unit = units.get(lane.chainId)
    if (unit === undefined) throw new Error(`no chain ${lane.chainId} for a lane that was taken`)
    const runner = createLane(lease, {
      store,
      writer,
      clock,
      telemetry: withLogFields(telemetry, { nodeId, ...lane, fence }),
      signer: ports.signer,
      random: ports.random,
      chain: { ...unit.chain, getFeeMarket: () => feeMarkets.read(lane.chainId) },
      broadcaster: unit.broadcaster,
      tracker: unit.tracker,
      balances: unit.balances,
      settings: { ...settings, ...unit.settings },
      ...(ports.rules !== undefined && { rules: ports.rules }),
      policy: () => keeper.signer(lane)?.policy ?? STABLE,
      isPaused: () => keeper.signer(lane)?.paused ?? false,
      movingSince: unit.watch.movingSince,
      mayAct,
      onStuck: ports.onStuck,
      onFenced,
    })
    for (const { chainId, at, signal } of recentReorgs)
      if (chainId === lane.chainId && clock.monotonic() - at < REORG_TOLD_MS) runner.post(signal)
    return runner
  }

  function postToChain(chainId: number, signal: LaneSignal): void {
    for (const runner of keeper.running()) if (runner.lease.lane.chainId === chainId) runner.post(signal)
  }

  /** The first look at every chain, or as much of it as finishes in time. */
  async function lookAtChains(): Promise<void> {
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
  }

  return {
    start: async () => {
      wakes.listen()
      await lookAtChains()
      await keeper.start()
      wakes.startTimers()
    },
    feeMarkets,
    followStatus: () => [...units.values()].map(presentFollowStatus),
    viewOf: (chainId) => units.get(chainId)?.follower.view() ?? null,
    onChain: (listener) => {
      const ends = [...units.values()].map(({ chain, follower }) => follower.onUpdate(() => listener(chain.chainId)))
      return () => {
        for (const end of ends) end()
      }
    },
    chainHealth: (chainId, waitedSince) => units.get(chainId)?.watch.health(waitedSince) ?? null,
    lanesHeld: keeper.count,
    reportLanes: (queueOf) => report(keeper.running(), { now: clock.now(), queueOf }),
    applySigners: keeper.applySigners,
    keysChanged: () => {
      for (const runner of keeper.running()) runner.post({ type: 'keys.changed' })
      keeper.poke()
    },
    silentNodes: keeper.silent,
    stop: async () => {
      await wakes.stop()
      const cancelAbandon = clock.schedule(settings.shutdownTimeoutMs, () => writer.abandon())
      await keeper.stop().catch((error: unknown) => {
        telemetry.log('warn', 'could not release leases; they expire by themselves', { error })
      })
      await writer.drain()
      cancelAbandon()
      for (const unit of units.values()) {
        unit.watch.stop()
        await unit.tracker.stop()
        await unit.follower.stop()
      }
    },
  }
}
