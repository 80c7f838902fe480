/** Connects the engine to its inputs: acceptance, operators, reservations, and reads that take turns. */
import { hostname } from 'node:os'
import { setImmediate as nextPass } from 'node:timers/promises'
import { createBodyPool } from '../api/server/body-pool.ts'
import { createPieces, type Pieces } from '../api/server/pieces.ts'
import type { EvmChain } from '../chain/evm-chain.ts'
import type { Config } from '../config/config.ts'
import type { ChainView, Finality } from '../core/chain/finality.ts'
import { DEFAULT_MAX_TX_FEE_WEI } from '../core/fees/fee-cap.ts'
import type { Address } from '../core/hex.ts'
import type { Lane } from '../core/lane/lane.ts'
import type { Policy } from '../core/lane/policy.ts'
import { type Accept, createAccept } from '../engine/accept/accept.ts'
import { type AcceptBatch, createAcceptBatch } from '../engine/accept/accept-batch.ts'
import { createIntake, type Intake } from '../engine/accept/intake.ts'
import { createKnownSigners, type KnownSigners } from '../engine/accept/known-signers.ts'
import { createEngine, type Engine } from '../engine/engine.ts'
import { createOperate, type Operate } from '../engine/operate/operate.ts'
import { createResetNonce, type ResetNonce } from '../engine/operate/reset-nonce.ts'
import { createStuckReview, type StuckReview } from '../engine/operate/stuck-review.ts'
import { paceEstimates } from '../engine/queue/pace-estimates.ts'
import { createReservations, type Reservations } from '../engine/reservations/reserve.ts'
import { createSpendingRules, type SpendingRules } from '../engine/rules/spending-rules.ts'
import type { FairTurns } from '../engine/tenants/fair-turns.ts'
import type { QueueBounds } from '../engine/tenants/queue-depth.ts'
import { createReadTurns } from '../engine/tenants/read-turns.ts'
import type { TenantPool } from '../engine/tenants/tenant-pool.ts'
import { createUnreadBytes, type UnreadBytes } from '../engine/tenants/unread-bytes.ts'
import { createUpstreamPace, NO_PACE, type UpstreamPace } from '../engine/tenants/upstream-pace.ts'
import { createWorkTurns, type WorkTurns } from '../engine/tenants/work-turns.ts'
import { createNodeTail, type EventTail } from '../engine/wait/event-tail.ts'
import { createTransactionWaits, type TransactionWaits } from '../engine/wait/transaction-waits.ts'
import type { Clock } from '../ports/clock.ts'
import type { HistoryEntry } from '../ports/history.ts'
import type { ServiceTelemetry } from '../telemetry/telemetry.ts'
import { openAcceptBounds } from './open-accept-bounds.ts'
import type { Adapters } from './open-adapters.ts'
import { openStuckHook } from './open-stuck-hook.ts'
import { toChainSettings, toEngineSettings, toIntakeLimits } from './service-settings.ts'
import { createThreadCapacity } from './thread-capacity.ts'

export interface WiredEngine {
  readonly engine: Engine
  readonly chains: ReadonlyMap<number, EvmChain>
  readonly signers: KnownSigners
  readonly intake: Intake
  readonly accept: Accept
  readonly acceptBatch: AcceptBatch
  readonly operate: Operate
  readonly rules: SpendingRules
  readonly review: StuckReview
  readonly reservations: Reservations
  readonly resets: ResetNonce
  readonly tail: EventTail<HistoryEntry>
  readonly waits: TransactionWaits
  /** Turns of the tenants: at the thread, at long lists, at the database; and the bytes of their requests. */
  readonly turns: {
    readonly work: WorkTurns
    readonly pieces: Pieces
    readonly reads: FairTurns
    readonly bodies: TenantPool
    readonly unread: UnreadBytes
  }
  readonly around: Around
  maxTxFeeOf(chainId: number): bigint | null
  /** How much of a chain's node each tenant may use. */
  paceOf(chainId: number): UpstreamPace | undefined
}

/** What currently applies to a chain or a signer, from memory. */
export interface Around {
  viewOf(chainId: number): ChainView | null
  finalityOf(lane: Lane): Finality
  policyOf(lane: Lane): Policy | null
}

export async function wireEngine(
  config: Config,
  adapters: Adapters,
  telemetry: ServiceTelemetry,
): Promise<WiredEngine> {
  const { store, signer, clock, random, nodeId } = adapters
  const { sharePercent } = config.tenants
  const rules = createSpendingRules({
    store,
    clock,
    telemetry,
    record: ({ keyId, actor, ...note }) => void adapters.access.recordRefusal({ keyId, name: actor }, note),
  })
  const chains = new Map(adapters.chains.map(({ chain }) => [chain.chainId, chain]))
  const work = createWorkTurns(clock, createThreadCapacity())
  const bounds = openAcceptBounds(config, { store, clock, telemetry, work })
  const paces = new Map(
    [...chains.values()].map((chain) => [chain.chainId, createUpstreamPace({ clock, distanceMs: chain.distanceMs })]),
  )
  const engine = createEngine({
    store,
    signer,
    clock,
    random,
    telemetry,
    nodeId,
    address: nameMachine(config.http.port),
    chains: adapters.chains.map(({ chain, own }) => ({
      chain: {
        ...chain,
        estimate: paceLanes(chain, { pace: paces.get(chain.chainId) ?? NO_PACE, clock, queue: bounds.queue }),
      },
      settings: toChainSettings(config, own),
    })),
    settings: toEngineSettings(config),
    sendsPrivately: ({ chainId, signer: from }) => (chains.get(chainId)?.findSendEndpoints(from) ?? null) !== null,
    rules: rules.signing,
    onDatabaseTime: clock.adjust,
    onStuck: (txId, isOurs) => review.notice(txId, isOurs),
  })
  const signers = createKnownSigners({ store, clock, telemetry })
  const around = createAround(engine, adapters, signers)
  const intake = createIntake({
    store: rules,
    clock,
    telemetry,
    limits: toIntakeLimits(config),
    rest: () => nextPass(),
  })
  const pieces = createPieces(work)
  const maxTxFeeOf = createMaxTxFees(adapters)
  telemetry.showLanes(config.metrics.maxLanes, () => {
    bounds.queue.refresh()
    engine.reportLanes(bounds.queue.depthOf)
  })
  const accept = createAccept({
    store,
    signers,
    chains,
    intake,
    clock,
    random,
    telemetry,
    headOf: (chainId) => around.viewOf(chainId)?.head ?? null,
    paceOf: (chainId) => paces.get(chainId),
    simulationTimeoutMs: config.simulationTimeoutMs,
    maxTxFeeOf,
    rules: rules.book,
    bounds,
  })
  const operate = createOperate({ store, chains, clock, telemetry, ...around })
  const review = createStuckReview({
    store,
    clock,
    telemetry,
    operate,
    policyOf: around.policyOf,
    hook: await openStuckHook(config, clock, random),
    intervalMs: config.stuck.reviewIntervalMs,
  })
  const tail = createNodeTail({ store, clock, telemetry })
  return {
    engine,
    chains,
    signers,
    intake,
    accept,
    acceptBatch: createAcceptBatch({
      accept,
      intake,
      rest: pieces.rest,
      isCrowded: work.isCrowded,
      isAllowed: adapters.access.isAllowed,
    }),
    operate,
    rules,
    review,
    reservations: createReservations({
      store,
      chains,
      clock,
      random,
      limits: { ...config.reservations, sharePercent },
    }),
    resets: createResetNonce({ store, clock, random }),
    tail,
    waits: createTransactionWaits({ store, tail, clock, telemetry, sharePercent }),
    turns: {
      work,
      pieces,
      reads: createReadTurns({ sharePercent, clock, isCrowded: work.isCrowded }),
      bodies: createBodyPool({ maxBytes: config.tenants.maxBodyBytes, sharePercent }),
      unread: createUnreadBytes({ maxBytes: config.tenants.maxBodyBytes, sharePercent }),
    },
    around,
    maxTxFeeOf,
    paceOf: (chainId) => paces.get(chainId),
  }
}

/** Estimates of lanes, at the pace of whoever filled their queues. */
function paceLanes(
  chain: EvmChain,
  ports: { readonly pace: UpstreamPace; readonly clock: Clock; readonly queue: QueueBounds },
): EvmChain['estimate'] {
  const { pace, clock, queue } = ports
  const { chainId } = chain
  const payerOf = (signer: Address): string | null => {
    const own = queue.tenantsOf({ chainId, signer })
    // Without keys, the tenant has no name and no pace. If nobody has anything there, the queue was not counted yet.
    if (own.length === 0 || own.includes('')) return null
    return own.length === 1 ? (own[0] ?? null) : signer
  }
  return paceEstimates({ chain, pace, clock, payerOf })
}

function createAround(engine: Engine, { chains }: Pick<Adapters, 'chains'>, signers: KnownSigners): Around {
  const defaultFinality = new Map(chains.map(({ chain, own }) => [chain.chainId, own.finality]))
  return {
    viewOf: engine.viewOf,
    finalityOf: (lane) =>
      signers.peek(lane)?.policy.finality ?? defaultFinality.get(lane.chainId) ?? { type: 'finalized' },
    policyOf: (lane) => signers.peek(lane)?.policy ?? null,
  }
}

function createMaxTxFees({ chains }: Pick<Adapters, 'chains'>): WiredEngine['maxTxFeeOf'] {
  const fees = new Map(chains.map(({ chain, own }) => [chain.chainId, own.maxTxFeeWei]))
  return (chainId) => {
    const found = fees.get(chainId)
    return found === undefined ? DEFAULT_MAX_TX_FEE_WEI : found
  }
}

/** For people who look for a node; nothing connects to it. Port 0 is any free one, which is not known yet. */
function nameMachine(port: number): string {
  return port === 0 ? hostname() : `${hostname()}:${port}`
}
