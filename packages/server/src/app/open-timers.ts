/** Assembles what timers need: their store, the loop that runs them, and its API. */
import type { EvmChain } from '../chain/evm-chain.ts'
import type { ChainConfig, Config } from '../config/config.ts'
import type { KnownSigners } from '../engine/accept/known-signers.ts'
import type { Engine } from '../engine/engine.ts'
import type { Operate } from '../engine/operate/operate.ts'
import type { SpendingRules } from '../engine/rules/spending-rules.ts'
import type { UpstreamPace } from '../engine/tenants/upstream-pace.ts'
import { createTimerHost } from '../engine/timers/timer-host.ts'
import { createTimers, type Timers } from '../engine/timers/timers.ts'
import type { Clock, Random } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { createPostgresTimerStore } from '../store/postgres/timers/postgres-timer-store.ts'
import { sessionTimeouts } from './session-timeouts.ts'

interface TimerPorts {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly telemetry: Telemetry
  readonly nodeId: string
  readonly signers: KnownSigners
  readonly rules: Pick<SpendingRules, 'judgeFires'>
  readonly engine: Pick<Engine, 'followStatus' | 'viewOf' | 'onChain'>
  readonly operate: Operate
  /** How much of a chain's node each tenant may use. */
  paceOf(chainId: number): UpstreamPace | undefined
  readonly chains: readonly { readonly chain: EvmChain; readonly own: ChainConfig }[]
}

export interface OpenTimers {
  readonly timers: Timers
  start(): Promise<void>
  /** Releases the leases, so a peer continues immediately. */
  stop(): Promise<void>
  close(): Promise<void>
}

/** Reorgs up to this deep are followed, and no less than the chain's own finality. */
const MIN_REORG_DEPTH = 64
const RETRY_MS = 100

export function openTimers(config: Config, ports: TimerPorts): OpenTimers {
  const { clock, random, telemetry, nodeId, engine, chains } = ports
  const { durationMs: ttlMs, renewIntervalMs } = config.lease
  const store = createPostgresTimerStore({
    databaseUrl: config.database.url,
    poolerUrl: config.database.poolerUrl,
    telemetry,
    applicationName: 'drover timers',
    ...sessionTimeouts(ttlMs),
  })
  const statusOf = (chainId: number) => engine.followStatus().find((chain) => chain.chainId === chainId)
  const { viewOf } = engine
  const host = createTimerHost({
    store,
    notices: ports.store,
    clock,
    random,
    telemetry,
    nodeId,
    lease: { ttlMs, renewIntervalMs },
    operate: ports.operate,
    viewOf,
    chains: new Map(
      chains.map(({ chain, own }) => {
        const { chainId } = chain
        return [chainId, { chain, settings: toTimerSettings(config, own), pace: ports.paceOf(chainId) }]
      }),
    ),
    isReachable: (chainId) => statusOf(chainId)?.health.state !== 'unreachable',
    onChain: engine.onChain,
    judgeFires: ports.rules.judgeFires,
  })
  const timers = createTimers({
    store,
    notices: ports.store,
    signers: ports.signers,
    clock,
    random,
    viewOf,
    chains: new Map(chains.map(({ chain, own }) => [chain.chainId, { chain, blockTimeMs: own.blockTimeMs }])),
    ...config.timers,
  })
  return { timers, start: host.start, stop: host.stop, close: store.close }
}

function toTimerSettings(config: Config, { finality, timersDeliverAt, blockTimeMs }: ChainConfig) {
  const depth = finality.type === 'confirmations' ? finality.count : 0
  return {
    deliverAt: timersDeliverAt ?? finality,
    finality,
    reorgDepth: Math.max(MIN_REORG_DEPTH, depth),
    maxQueuedPerSigner: config.tenants.maxQueuedPerSigner,
    tenantSharePercent: config.timers.sharePercent,
    retryMs: RETRY_MS,
    blockTimeMs,
  }
}
