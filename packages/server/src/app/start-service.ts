/** The composition root: the only place that makes adapters and hands them to what needs them; start and orderly stop. */
import { fileURLToPath } from 'node:url'
import { createApiKeys } from '../api/api-keys.ts'
import type { ChainStatus } from '../api/api-services.ts'
import { createConfirmationFeed } from '../api/confirmation-feed.ts'
import { createEventStreams } from '../api/event-streams.ts'
import { createHttpServer } from '../api/http-server.ts'
import { listen } from '../api/listen.ts'
import { createReadiness } from '../api/readiness.ts'
import { detectChainId } from '../chain/detect-chain-id.ts'
import { createEvmChain, type EvmChain } from '../chain/evm-chain.ts'
import type { ChainConfig, Config } from '../config/config.ts'
import { DEFAULT_MAX_TX_FEE_WEI } from '../core/fee-cap.ts'
import type { Finality } from '../core/finality.ts'
import type { Address } from '../core/hex.ts'
import type { Lane } from '../core/lane.ts'
import { type Policy, PRESETS } from '../core/policy.ts'
import { createAccept } from '../engine/accept.ts'
import { createAcceptBatch } from '../engine/accept-batch.ts'
import { createEngine, type Engine } from '../engine/engine.ts'
import { readBaseFee } from '../engine/fees/read-base-fee.ts'
import { createFillGaps } from '../engine/fill-gaps.ts'
import { createIntake } from '../engine/intake.ts'
import { createKnownSigners } from '../engine/known-signers.ts'
import { createOperate } from '../engine/operate.ts'
import { createReservations } from '../engine/reserve.ts'
import { createResetNonce } from '../engine/reset-nonce.ts'
import { createStuckReview } from '../engine/stuck-review.ts'
import { createTransactionWaits } from '../engine/transaction-waits.ts'
import { loadStuckModule } from '../hooks/stuck-module.ts'
import { createStuckWebhook } from '../hooks/stuck-webhook.ts'
import type { Random } from '../ports/clock.ts'
import type { StuckHook } from '../ports/stuck-hook.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { registerRpc } from '../rpc/register-rpc.ts'
import { createRpcEndpoint } from '../rpc/rpc-endpoint.ts'
import { createRpcSockets } from '../rpc/rpc-sockets.ts'
import { createLocalSigner } from '../signer/local-signer.ts'
import { LATEST_SCHEMA_VERSION, migrate } from '../store/migrate.ts'
import { createPostgresAccessStore } from '../store/postgres-access-store.ts'
import { createPostgresStore } from '../store/postgres-store.ts'
import type { ServiceTelemetry } from '../telemetry/telemetry.ts'
import { openAccess } from './open-access.ts'
import { openWebhooks } from './open-webhooks.ts'
import { createSystemClock, type SystemClock } from './system-clock.ts'
import { createSystemRandom } from './system-random.ts'
import { tellKeptPolicies } from './tell-kept-policies.ts'

export interface Service {
  readonly url: string
  readonly nodeId: string
  stop(): Promise<void>
  /** Settles when the service has stopped; rejects when it broke. */
  readonly stopped: Promise<void>
}

const PREPARE_BATCH = 100
const PREPARE_RETRY_MS = 1_000
/** A chain that has not answered for so many polls is not followed. */
const QUIET_POLLS = 10

export async function startService(config: Config, telemetry: ServiceTelemetry): Promise<Service> {
  const clock = createSystemClock()
  const random = createSystemRandom()
  await migrate(config.database.url)
  const store = createPostgresStore({
    databaseUrl: config.database.url,
    telemetry,
    // A statement that outlived the lease could hold a lane that the node has already lost.
    statementTimeoutMs: Math.min(10_000, Math.floor(config.lease.durationMs * (2 / 3))),
    idleInTransactionTimeoutMs: Math.min(5_000, Math.floor(config.lease.durationMs / 3)),
  })
  await adjustClock(clock, store)
  const nodeId = random.id(clock.now())
  const keys = createPostgresAccessStore({
    databaseUrl: config.database.url,
    telemetry,
    applicationName: 'drover access',
  })
  const access = await openAccess({ store: keys, clock, telemetry, nodeId }, config.http.host)
  const signer = createLocalSigner(config.signers.keys)
  const chains = await Promise.all(config.chains.map((chain) => openChain(chain, clock, telemetry)))
  await store.registerSigners(
    chains.flatMap(({ chain }) =>
      signer.addresses().map((address) => ({
        lane: { chainId: chain.chainId, signer: address },
        policy: policyOf(config, address),
        label: null,
      })),
    ),
  )
  const own = new Set(signer.addresses())
  tellKeptPolicies(await store.listSigners(), telemetry, ({ lane }) =>
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
  const maxTxFees = new Map(chains.map(({ chain, own }) => [chain.chainId, own.maxTxFeeWei]))
  const maxTxFeeOf = (chainId: number) => {
    const found = maxTxFees.get(chainId)
    return found === undefined ? DEFAULT_MAX_TX_FEE_WEI : found
  }
  const accept = createAccept({ store, signers, chains: byId, intake, clock, random, telemetry, maxTxFeeOf })
  const chainStatus = (): readonly ChainStatus[] => presentChains(engine, chains)
  const defaultFinality = new Map(chains.map(({ chain, own }) => [chain.chainId, own.finality]))
  const around = {
    viewOf: (chainId: number) => engine.followStatus().find((chain) => chain.chainId === chainId)?.view ?? null,
    finalityOf: (lane: Lane): Finality =>
      signers.peek(lane)?.policy.finality ?? defaultFinality.get(lane.chainId) ?? { type: 'finalized' },
    policyOf: (lane: Lane) => signers.peek(lane)?.policy ?? null,
  }
  const operate = createOperate({ store, chains: byId, clock, telemetry, ...around })
  const review = createStuckReview({
    ...{ store, clock, telemetry, operate, policyOf: around.policyOf },
    hook: await openStuckHook(config, clock, random),
    intervalMs: config.stuck.reviewIntervalMs,
  })
  const reservations = createReservations({ store, chains: byId, clock, random })
  const resets = createResetNonce({ store, clock, random })
  const acceptBatch = createAcceptBatch({ accept, intake })
  const waits = createTransactionWaits({ store, clock, telemetry })
  const hooks = openWebhooks(config, { store, clock, random, telemetry, nodeId })
  const server = createHttpServer({
    ...around,
    access,
    apiKeys: createApiKeys({ store: keys, clock, firstIsAdmin: true, onCreated: access.lock }),
    audit: keys,
    reservations,
    resets,
    nodeId,
    accept,
    acceptBatch,
    operate,
    webhooks: hooks.webhooks,
    eventStreams: createEventStreams({
      ...{ store, clock, telemetry, limits: config.events, isAllowed: access.isAllowed },
      confirmations: createConfirmationFeed({
        ...{ store, telemetry, onChain: engine.onChain, ...around },
        chainIds: () => [...byId.keys()],
      }),
    }),
    onChain: engine.onChain,
    waits,
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
    readLogs: async (chainId, hash) => (await byId.get(chainId)?.findLogs(hash)) ?? null,
    readiness: createReadiness({ store, clock, schemaVersion: LATEST_SCHEMA_VERSION, chainStatus }),
    telemetry,
    renderMetrics: telemetry.renderMetrics,
    dashboardDir: findDashboard(),
  })
  const rpc = createRpcEndpoint({
    ...{ store, signers, clock, telemetry, acceptBatch, waits, settings: config.rpc },
    upstreams: chains.map(({ chain }) => chain),
    recordRefusal: access.recordRefusal,
  })
  const sockets = createRpcSockets({ endpoint: rpc, door: access, clock, telemetry, maxSockets: config.rpc.maxSockets })
  registerRpc(server, { endpoint: rpc, sockets, callerOf: (request) => request.caller })
  await engine.start()
  await hooks.start()
  const url = await listen(server, config.http).catch(async (error: unknown) => {
    await Promise.all([engine.stop(), hooks.stop()])
    await Promise.all([access.close(), hooks.close(), store.close()])
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
    await Promise.all([engine.stop(), hooks.stop(), server.close().then(() => intake.drain())])
    signers.close()
    reservations.close()
    resets.close()
    await Promise.all(chains.map(({ chain }) => chain.close()))
    await Promise.all([access.close(), hooks.close(), store.close()])
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
  clock: SystemClock,
  telemetry: Telemetry,
): Promise<{ readonly chain: EvmChain; readonly own: ChainConfig }> {
  const chainId = own.chainId ?? (await detectChainId(own.rpcUrls, clock))
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
    pollIntervalMs: own.pollIntervalMs,
    staleReceiptTimeoutMs: config.receipts.staleTimeoutMs,
    blockQueueLength: config.blocks.queueLength,
    receiptBatch: config.receipts.batchSize,
    receiptWorkers: config.receipts.workers,
    fetchReceiptUponEntry: config.receipts.fetchUponEntry,
    mempoolPerAccount: own.mempoolPerAccount,
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
    queuePollMs: renewIntervalMs,
    shutdownTimeoutMs: config.shutdownTimeoutMs,
  }
}

function toIntakeLimits({ intake }: Config) {
  return { maxWaiting: intake.queueLimit, lingerMs: intake.lingerMs, maxBatch: intake.batchSize }
}

function presentChains(
  engine: Engine,
  chains: readonly { readonly chain: EvmChain; readonly own: ChainConfig }[],
): readonly ChainStatus[] {
  return engine.followStatus().map(({ chainId, view, finality, quietMs, lastError }) => {
    const found = chains.find(({ chain }) => chain.chainId === chainId)
    const poll = found?.own.pollIntervalMs ?? 0
    const following = view !== null && quietMs !== null && quietMs <= Math.max(5_000, poll * QUIET_POLLS)
    return {
      chainId,
      head: view?.head ?? null,
      safe: view?.safe ?? null,
      finalized: view?.finalized ?? null,
      finality,
      following,
      lastError,
      endpoints: found?.chain.endpoints() ?? [],
    }
  })
}

/** In a published package the page lies beside the code; in the repository it is built in its own package. */
function findDashboard(): string {
  const beside = new URL('../dashboard/', import.meta.url)
  const inRepository = new URL('../../../dashboard/dist/', import.meta.url)
  return fileURLToPath(import.meta.url.endsWith('.ts') ? inRepository : beside)
}
