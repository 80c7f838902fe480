/** The composition root: the only place that makes adapters and hands them to what needs them; start and orderly stop. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createApiKeys } from '../api/access/api-keys.ts'
import type { ChainStatus } from '../api/api-services.ts'
import { createLogReads } from '../api/lookup/log-reads.ts'
import { createBodyPool } from '../api/server/body-pool.ts'
import { createHttpServer } from '../api/server/http-server.ts'
import { listen } from '../api/server/listen.ts'
import { createPieces } from '../api/server/pieces.ts'
import { createReadiness } from '../api/server/readiness.ts'
import { createConfirmationFeed } from '../api/stream/confirmation-feed.ts'
import { createEventStreams } from '../api/stream/event-streams.ts'
import { detectChainId } from '../chain/detect-chain-id.ts'
import { createEvmChain, type EvmChain } from '../chain/evm-chain.ts'
import type { ChainConfig, Config } from '../config/config.ts'
import type { ChainHealth } from '../core/chain/chain-health.ts'
import type { Finality } from '../core/chain/finality.ts'
import { DEFAULT_MAX_TX_FEE_WEI } from '../core/fees/fee-cap.ts'
import type { Address } from '../core/hex.ts'
import type { Lane } from '../core/lane/lane.ts'
import { type Policy, PRESETS } from '../core/lane/policy.ts'
import { createAccept } from '../engine/accept/accept.ts'
import { createAcceptBatch } from '../engine/accept/accept-batch.ts'
import { createIntake } from '../engine/accept/intake.ts'
import { createKnownSigners } from '../engine/accept/known-signers.ts'
import { createEngine, type FollowStatus } from '../engine/engine.ts'
import { readBaseFee, readCount } from '../engine/fees/read-base-fee.ts'
import { createFillGaps } from '../engine/gaps/fill-gaps.ts'
import { createStuckReview } from '../engine/lane/stuck-review.ts'
import { createOperate } from '../engine/operate/operate.ts'
import { createResetNonce } from '../engine/operate/reset-nonce.ts'
import { createListReservations } from '../engine/reservations/list-reservations.ts'
import { createReleaseKey } from '../engine/reservations/release-key.ts'
import { createReservations } from '../engine/reservations/reserve.ts'
import { createTakeBackNonces } from '../engine/reservations/take-back-nonces.ts'
import { createReadTurns } from '../engine/tenants/read-turns.ts'
import { createWorkTurns } from '../engine/tenants/work-turns.ts'
import { createTransactionWaits } from '../engine/wait/transaction-waits.ts'
import { loadStuckModule } from '../hooks/stuck-module.ts'
import { createStuckWebhook } from '../hooks/stuck-webhook.ts'
import { ChainUnavailable } from '../ports/chain.ts'
import type { Random } from '../ports/clock.ts'
import type { StuckHook } from '../ports/stuck-hook.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { createJsonRpcServer } from '../rpc/json-rpc-server.ts'
import { registerRpc } from '../rpc/register-rpc.ts'
import { createRpcSockets } from '../rpc/socket/rpc-sockets.ts'
import { createLocalSigner } from '../signer/local-signer.ts'
import { describeKit, openSigningKit } from '../signer/signing-kit.ts'
import { createPostgresAccessStore } from '../store/postgres/access/postgres-access-store.ts'
import { describeOutage, LATEST_SCHEMA_VERSION, migrate } from '../store/postgres/migrate.ts'
import { createPostgresStore } from '../store/postgres/postgres-store.ts'
import type { ServiceTelemetry } from '../telemetry/telemetry.ts'
import { openAcceptBounds } from './open-accept-bounds.ts'
import { openAccess } from './open-access.ts'
import { openTimers } from './open-timers.ts'
import { openWebhooks } from './open-webhooks.ts'
import { createStartWait, type StartWait } from './start-wait.ts'
import { createSystemClock, type SystemClock } from './system-clock.ts'
import { createSystemRandom } from './system-random.ts'
import { tellKeptPolicies } from './tell-kept-policies.ts'
import { createThreadCapacity } from './thread-capacity.ts'

export interface Service {
  readonly url: string
  readonly nodeId: string
  stop(): Promise<void>
  /** Settles when the service has stopped; rejects when it broke. */
  readonly stopped: Promise<void>
}

const MAX_LOOK_MS = 3_000
const PREPARE_BATCH = 100
const PREPARE_RETRY_MS = 1_000

const NEVER_STOPPED = new AbortController().signal

/** `signal`: told to stop; a start that still waits for something then ends with the signal's reason. */
export async function startService(
  config: Config,
  telemetry: ServiceTelemetry,
  signal: AbortSignal = NEVER_STOPPED,
): Promise<Service> {
  const clock = createSystemClock()
  const random = createSystemRandom()
  const wait = createStartWait({ http: config.http, clock, telemetry, signal })
  const withDatabase = <T>(attempt: () => Promise<T>) => wait.until('database', attempt, describeOutage)
  const [chains] = await Promise.all([
    Promise.all(config.chains.map((chain) => openChain(chain, wait, clock, telemetry))),
    withDatabase(() => migrate(config.database.url)),
  ])
  const store = createPostgresStore({
    databaseUrl: config.database.url,
    telemetry,
    // A statement that outlived the lease could hold a lane that the node has already lost.
    statementTimeoutMs: Math.min(10_000, Math.floor(config.lease.durationMs * (2 / 3))),
    idleInTransactionTimeoutMs: Math.min(5_000, Math.floor(config.lease.durationMs / 3)),
  })
  await withDatabase(() => adjustClock(clock, store))
  const nodeId = random.id(clock.now())
  const keys = createPostgresAccessStore({
    databaseUrl: config.database.url,
    telemetry,
    applicationName: 'drover access',
  })
  const { isOpen, http } = config
  const access = await withDatabase(() =>
    openAccess({ store: keys, clock, telemetry, nodeId }, { host: http.host, isOpen }),
  )
  const kit = await openSigningKit()
  telemetry.log('info', `signing with ${describeKit(kit)}`)
  const signer = createLocalSigner(config.signers.keys, kit)
  const registrations = chains.flatMap(({ chain }) =>
    signer.addresses().map((address) => ({
      lane: { chainId: chain.chainId, signer: address },
      policy: policyOf(config, address),
      label: null,
    })),
  )
  await withDatabase(() => store.registerSigners(registrations))
  const own = new Set(signer.addresses())
  tellKeptPolicies(await withDatabase(store.listSigners), telemetry, ({ lane }) =>
    own.has(lane.signer) ? policyOf(config, lane.signer) : null,
  )
  const engine = createEngine({
    store,
    signer,
    clock,
    random,
    telemetry,
    nodeId,
    address: null,
    chains: chains.map(({ chain, own }) => ({ chain, settings: toChainSettings(config, own) })),
    settings: toEngineSettings(config),
    onDatabaseTime: clock.adjust,
    onStuck: (txId, isOurs) => review.notice(txId, isOurs),
  })
  const intake = createIntake({ store, clock, telemetry, limits: toIntakeLimits(config) })
  const signers = createKnownSigners({ store, clock, telemetry })
  const byId = new Map(chains.map(({ chain }) => [chain.chainId, chain]))
  const { sharePercent } = config.tenants
  const work = createWorkTurns(clock, createThreadCapacity())
  const bounds = openAcceptBounds(config, { store, clock, telemetry, work })
  const maxTxFees = new Map(chains.map(({ chain, own }) => [chain.chainId, own.maxTxFeeWei]))
  const maxTxFeeOf = (chainId: number) => {
    const found = maxTxFees.get(chainId)
    return found === undefined ? DEFAULT_MAX_TX_FEE_WEI : found
  }
  const defaultFinality = new Map(chains.map(({ chain, own }) => [chain.chainId, own.finality]))
  const around = {
    viewOf: (chainId: number) => engine.followStatus().find((chain) => chain.chainId === chainId)?.view ?? null,
    finalityOf: (lane: Lane): Finality =>
      signers.peek(lane)?.policy.finality ?? defaultFinality.get(lane.chainId) ?? { type: 'finalized' },
    policyOf: (lane: Lane) => signers.peek(lane)?.policy ?? null,
  }
  const accept = createAccept({
    ...{ store, signers, chains: byId, intake, clock, random, telemetry },
    headOf: (chainId) => around.viewOf(chainId)?.head ?? null,
    simulationTimeoutMs: config.simulationTimeoutMs,
    maxTxFeeOf,
    bounds,
  })
  const chainStatus = (): readonly ChainStatus[] =>
    engine.followStatus().map((status) => presentChain(status, byId.get(status.chainId)?.endpoints() ?? []))
  const operate = createOperate({ store, chains: byId, clock, telemetry, ...around })
  const review = createStuckReview({
    ...{ store, clock, telemetry, operate, policyOf: around.policyOf },
    hook: await openStuckHook(config, clock, random),
    intervalMs: config.stuck.reviewIntervalMs,
  })
  const reservations = createReservations({
    ...{ store, chains: byId, clock, random },
    limits: { ...config.reservations, sharePercent },
  })
  const resets = createResetNonce({ store, clock, random })
  const pieces = createPieces(work)
  const acceptBatch = createAcceptBatch({ accept, intake, rest: pieces.rest })
  const waits = createTransactionWaits({ store, clock, telemetry, sharePercent })
  const reads = createReadTurns({ sharePercent, isCrowded: work.isCrowded })
  const bodies = createBodyPool({ maxBytes: config.tenants.maxBodyBytes, sharePercent })
  const hooks = openWebhooks(config, { store, clock, random, telemetry, nodeId })
  const timing = openTimers(config, { store, clock, random, telemetry, nodeId, signers, engine, chains })
  const server = createHttpServer({
    ...around,
    access,
    apiKeys: createApiKeys({ store: keys, clock, withoutKey: false, releaseReservations: createReleaseKey(store) }),
    audit: keys,
    reservations: { ...reservations, list: createListReservations(store) },
    takeBack: createTakeBackNonces({ store, chains: byId }),
    resets,
    nodeId,
    accept,
    acceptBatch,
    operate,
    webhooks: hooks.webhooks,
    timers: timing.timers,
    eventStreams: createEventStreams({
      ...{ store, clock, telemetry, work, pieces, reads, isAllowed: access.isAllowed },
      limits: { ...config.events, sharePercent },
      confirmations: createConfirmationFeed({
        ...{ store, telemetry, onChain: engine.onChain, ...around },
        chainIds: () => [...byId.keys()],
      }),
    }),
    onChain: engine.onChain,
    waits,
    bodies,
    work,
    pieces,
    reads,
    feeMarkets: engine.feeMarkets,
    maxTxFeeOf,
    fillGaps: createFillGaps({ store, clock, random }),
    ownKeys: { addresses: signer.addresses, defaultPolicy: (address) => policyOf(config, address) },
    store,
    clock,
    chainStatus,
    listNodes: () => store.listNodes(),
    baseFeeOf: async (chainId) =>
      byId.has(chainId) ? readBaseFee({ getFeeMarket: () => engine.feeMarkets.read(chainId) }, clock) : null,
    countOf: async (lane) => {
      const [chain, head] = [byId.get(lane.chainId), around.viewOf(lane.chainId)?.head ?? null]
      return chain === undefined || head === null ? null : await readCount(chain, lane, head.number, clock)
    },
    healthOf: (chainId, waitedSince) => engine.chainHealth(chainId, waitedSince) ?? NOT_FOLLOWED,
    readLogs: createLogReads({ chains: byId, sharePercent }),
    silentNodes: engine.silentNodes,
    readiness: createReadiness({
      ...{ store, clock, schemaVersion: LATEST_SCHEMA_VERSION, chainStatus, silentNodes: engine.silentNodes },
    }),
    telemetry,
    renderMetrics: telemetry.renderMetrics,
    dashboardDir: findDashboard(),
  })
  const rpc = createJsonRpcServer({
    ...{ store, signers, clock, telemetry, acceptBatch, waits, work, reads, settings: { ...config.rpc, sharePercent } },
    upstreams: chains.map(({ chain }) => chain),
    ownAddresses: signer.addresses(),
    recordRefusal: access.recordRefusal,
    chargeItems: access.chargeItems,
  })
  const sockets = createRpcSockets({
    ...{ endpoint: rpc, door: access, store, clock, telemetry, bodies, work, sharePercent },
    maxSockets: config.rpc.maxSockets,
  })
  registerRpc(server, { endpoint: rpc, sockets, callerOf: (request) => request.caller })
  await engine.start()
  await hooks.start()
  await timing.start()
  const url = await listen(server, await wait.end()).catch(async (error: unknown) => {
    await Promise.all([engine.stop(), hooks.stop(), timing.stop()])
    await Promise.all([access.close(), hooks.close(), timing.close(), store.close()])
    throw error
  })
  let stopping: Promise<void> | null = null
  let settle: () => void = () => undefined
  const stopped = new Promise<void>((resolve) => {
    settle = resolve
  })

  async function stopInOrder(): Promise<void> {
    review.stop()
    // Side by side: a client that takes its time must not keep the lanes from going to a peer.
    await Promise.all([engine.stop(), hooks.stop(), timing.stop(), server.close().then(() => intake.drain())])
    signers.close()
    reservations.close()
    resets.close()
    timing.timers.close()
    await Promise.all(chains.map(({ chain }) => chain.close()))
    await Promise.all([access.close(), hooks.close(), timing.close(), store.close()])
    settle()
  }

  return {
    url,
    nodeId,
    stopped,
    stop: () => {
      stopping ??= stopInOrder()
      return stopping
    },
  }
}

async function adjustClock(clock: SystemClock, store: { ping(): Promise<{ readonly nowMs: number }> }): Promise<void> {
  const askedAt = clock.monotonic()
  const { nowMs } = await store.ping()
  clock.adjust(nowMs, askedAt, clock.monotonic())
}

async function openChain(
  own: ChainConfig,
  wait: StartWait,
  clock: SystemClock,
  telemetry: Telemetry,
): Promise<{ readonly chain: EvmChain; readonly own: ChainConfig }> {
  const describe = (error: unknown) => (error instanceof ChainUnavailable ? error.message : null)
  // Several chains without an id would be told apart by their hosts, which the message has.
  const part = 'chain'
  const chainId = own.chainId ?? (await wait.until(part, () => detectChainId(own.rpcUrls, clock), describe))
  const { rpcUrls: urls, pollIntervalMs, blockTimeMs, rpcMaxPauseMs: maxPauseMs } = own
  const fees = { feeModel: own.feeModel, fixedPriceWei: own.gasPriceWei }
  const chain = createEvmChain({ chainId, urls, clock, telemetry, pollIntervalMs, blockTimeMs, maxPauseMs, ...fees })
  return { chain, own }
}

async function openStuckHook({ stuck }: Config, clock: SystemClock, random: Random): Promise<StuckHook | null> {
  if (stuck.hook === null) return null
  if (!/^https?:/i.test(stuck.hook)) return loadStuckModule(stuck.hook, process.cwd())
  return createStuckWebhook({ url: stuck.hook, secret: stuck.secret ?? '', clock, random })
}

function policyOf({ signers, policy }: Config, address: Address): Policy {
  const preset = PRESETS[signers.policies.byAddress.get(address) ?? signers.policies.preset]
  const { maxInFlight, ...shared } = policy
  return { ...preset, ...shared, maxInFlight: preset.preset === 'fast' ? maxInFlight : preset.maxInFlight }
}

function toChainSettings(config: Config, own: ChainConfig) {
  return {
    finality: own.finality,
    headerWindow: config.blocks.headerWindow,
    // Behind the heads that are told: what finds a block that nobody told of.
    pollIntervalMs: own.pollIntervalMs ?? Math.max(100, Math.min(MAX_LOOK_MS, Math.floor(own.blockTimeMs / 2))),
    blockTimeMs: own.blockTimeMs,
    standingAfterMs: own.standingAfterMs,
    staleReceiptTimeoutMs: config.receipts.staleTimeoutMs,
    blockQueueLength: config.blocks.queueLength,
    receiptBatch: config.receipts.batchSize,
    receiptWorkers: config.receipts.workers,
    fetchReceiptUponEntry: config.receipts.fetchUponEntry,
    maxTxFeeWei: own.maxTxFeeWei,
    preconfirmations: own.preconfirmations,
  }
}

function toEngineSettings(config: Config) {
  const { durationMs, renewIntervalMs } = config.lease
  return {
    keeper: { leaseTtlMs: durationMs, renewIntervalMs, marginMs: Math.ceil(durationMs / 10) },
    writer: { writers: config.writer.count, lingerMs: config.writer.lingerMs, batchSize: config.writer.batchSize },
    prepareBatch: PREPARE_BATCH,
    prepareRetryMs: PREPARE_RETRY_MS,
    sharePercent: config.tenants.sharePercent,
    queuePollMs: renewIntervalMs,
    balanceIntervalMs: config.balanceIntervalMs,
    shutdownTimeoutMs: config.shutdownTimeoutMs,
  }
}

function toIntakeLimits({ intake }: Config) {
  return { maxWaiting: intake.queueLimit, lingerMs: intake.lingerMs, maxBatch: intake.batchSize }
}

/** A chain of a transaction that this node is not configured for. */
const NOT_FOLLOWED: ChainHealth = { state: 'starting', since: null, message: null }

function presentChain(
  { chainId, view, finality, health, lastError }: FollowStatus,
  endpoints: ChainStatus['endpoints'],
): ChainStatus {
  const following = view !== null && (health.state === 'ok' || health.state === 'standing')
  return {
    ...{ chainId, finality, following, health, lastError, endpoints },
    head: view?.head ?? null,
    safe: view?.safe ?? null,
    finalized: view?.finalized ?? null,
  }
}

/** In a published package the page lies beside the code; in the repository it is built in its own package. */
function findDashboard(): string {
  const beside = new URL('../dashboard/', import.meta.url)
  const inRepository = new URL('../../../dashboard/dist/', import.meta.url)
  return fileURLToPath(existsSync(inRepository) ? inRepository : beside)
}
