/** Assembles the services of the API, and the HTTP server around them: routes, JSON-RPC over HTTP and sockets, the page. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createApiKeys } from '../api/access/api-keys.ts'
import { createServiceLimits } from '../api/access/limit-services.ts'
import type { ApiServices, ChainStatus } from '../api/api-services.ts'
import { explainTransaction } from '../api/lookup/explain-transaction.ts'
import { createLogReads } from '../api/lookup/log-reads.ts'
import { createRevertReads } from '../api/lookup/revert-reads.ts'
import type { Webhooks } from '../api/lookup/webhooks.ts'
import { createHttpServer } from '../api/server/http-server.ts'
import { createReadiness } from '../api/server/readiness.ts'
import { createConfirmationFeed } from '../api/stream/confirmation-feed.ts'
import { createEventStreams, type EventStreams } from '../api/stream/event-streams.ts'
import type { Config } from '../config/config.ts'
import { keySubject } from '../core/rules/rule-set.ts'
import { readBaseFee, readCount } from '../engine/fees/read-base-fee.ts'
import { createFillGaps } from '../engine/gaps/fill-gaps.ts'
import { createListReservations } from '../engine/reservations/list-reservations.ts'
import { createReleaseKey } from '../engine/reservations/release-key.ts'
import { createTakeBackNonces } from '../engine/reservations/take-back-nonces.ts'
import { createDecideApproval } from '../engine/rules/decide-approval.ts'
import { createManageRules } from '../engine/rules/manage-rules.ts'
import type { Timers } from '../engine/timers/timers.ts'
import { createJsonRpcServer } from '../rpc/json-rpc-server.ts'
import { registerRpc } from '../rpc/register-rpc.ts'
import { createRpcSockets } from '../rpc/socket/rpc-sockets.ts'
import { LATEST_SCHEMA_VERSION } from '../store/postgres/migrate.ts'
import type { ServiceTelemetry } from '../telemetry/telemetry.ts'
import { NOT_FOLLOWED, presentChainStatus } from './chain-status.ts'
import { createOwnKeys } from './keys/own-keys.ts'
import type { Adapters } from './open-adapters.ts'
import type { WiredEngine } from './wire-engine.ts'

export type HttpServer = ReturnType<typeof createHttpServer>

interface ApiParts {
  readonly adapters: Adapters
  readonly wired: WiredEngine
  readonly webhooks: Webhooks
  readonly timers: Timers
  readonly telemetry: ServiceTelemetry
}

export function wireHttp(config: Config, services: ApiServices, parts: ApiParts): HttpServer {
  const server = createHttpServer(services)
  const limit = createServiceLimits(services)
  const { telemetry } = parts
  const { store, clock, signer, access, chains } = parts.adapters
  const { signers, acceptBatch, waits } = parts.wired
  const { work, reads, pieces, bodies, unread } = parts.wired.turns
  const { sharePercent } = config.tenants
  const endpoint = createJsonRpcServer({
    store,
    signers,
    clock,
    telemetry,
    acceptBatch,
    waits,
    reads,
    inPieces: pieces.map,
    paceOf: parts.wired.paceOf,
    explain: (tx, caller) => explainTransaction(tx, limit(caller)),
    settings: { ...config.rpc, sharePercent },
    upstreams: chains.map(({ chain }) => chain),
    ownAddresses: signer.addresses,
    recordRefusal: access.recordRefusal,
    chargeItems: access.chargeItems,
  })
  const { maxSockets } = config.rpc
  const sockets = createRpcSockets({
    endpoint,
    door: access,
    store,
    clock,
    telemetry,
    bodies,
    unread,
    work,
    sharePercent,
    maxSockets,
  })
  registerRpc(server, { endpoint, sockets, callerOf: (request) => request.caller })
  return server
}

export function createServices(
  config: Config,
  { adapters, wired, webhooks, timers, telemetry }: ApiParts,
): ApiServices {
  const { nodeId, store, keys, access, clock, random, signer } = adapters
  const { engine, chains, accept, acceptBatch, operate, reservations, resets, waits, maxTxFeeOf } = wired
  const { silentNodes } = engine
  const rules = createManageRules({ store, ...wired.rules })
  const chainStatus = (): readonly ChainStatus[] =>
    engine.followStatus().map((status) => presentChainStatus(status, chains.get(status.chainId)?.endpoints() ?? []))
  const ownKeys = createOwnKeys(config, adapters, telemetry)
  return {
    ...wired.around,
    ...wired.turns,
    stallMs: config.events.stallMs,
    nodeId,
    access,
    apiKeys: createApiKeys({
      store: keys,
      clock,
      withoutKey: false,
      releaseReservations: createReleaseKey(store),
      hasRules: async (keyId) => (await rules.read(keySubject(keyId))).account !== null,
    }),
    audit: keys,
    accept,
    acceptBatch,
    operate,
    decideApproval: createDecideApproval({ keys, store, clock, telemetry }),
    rules,
    reservations: { ...reservations, list: createListReservations(store) },
    takeBack: createTakeBackNonces({ store, chains }),
    resets,
    webhooks,
    timers,
    eventStreams: openEventStreams(config, { adapters, wired, telemetry }),
    onChain: engine.onChain,
    waits,
    feeMarkets: engine.feeMarkets,
    maxTxFeeOf,
    fillGaps: createFillGaps({ store, clock, random }),
    applySigners: async () => void (await Promise.all([wired.signers.refresh(), engine.applySigners()])),
    ownKeys,
    store,
    clock,
    chainStatus,
    listNodes: () => store.listNodes(),
    baseFeeOf: async (chainId) =>
      chains.has(chainId) ? readBaseFee({ getFeeMarket: () => engine.feeMarkets.read(chainId) }, clock) : null,
    countOf: async (lane) => {
      const [chain, head] = [chains.get(lane.chainId), wired.around.viewOf(lane.chainId)?.head ?? null]
      return chain === undefined || head === null ? null : await readCount(chain, lane, head.number, clock)
    },
    sendEndpointsOf: ({ chainId, signer: from }) => chains.get(chainId)?.findSendEndpoints(from) ?? null,
    healthOf: (chainId, waitedSince) => engine.chainHealth(chainId, waitedSince) ?? NOT_FOLLOWED,
    readLogs: createLogReads({ chains, sharePercent: config.tenants.sharePercent }),
    readRevert: createRevertReads({ chains, clock, sharePercent: config.tenants.sharePercent }),
    silentNodes,
    readiness: createReadiness({
      store,
      clock,
      schemaVersion: LATEST_SCHEMA_VERSION,
      chainStatus,
      silentNodes,
      hasKey: (address) => ownKeys.find(address) !== null,
      keySources: signer.sources,
    }),
    telemetry,
    renderMetrics: telemetry.renderMetrics,
    dashboardDir: findDashboard(),
  }
}

function openEventStreams(
  config: Config,
  { adapters, wired, telemetry }: Omit<ApiParts, 'webhooks' | 'timers'>,
): EventStreams {
  const { store, clock, access } = adapters
  const { engine, chains, around } = wired
  const { work, pieces, reads } = wired.turns
  return createEventStreams({
    store,
    tail: wired.tail,
    clock,
    telemetry,
    work,
    pieces,
    reads,
    isAllowed: access.isAllowed,
    limits: { ...config.events, sharePercent: config.tenants.sharePercent },
    confirmations: createConfirmationFeed({
      ...around,
      store,
      telemetry,
      onChain: engine.onChain,
      chainIds: () => [...chains.keys()],
    }),
  })
}

/** In a published package the page is beside the code; in the repository it is built in its own package. */
function findDashboard(): string {
  const beside = new URL('../dashboard/', import.meta.url)
  const inRepository = new URL('../../../dashboard/dist/', import.meta.url)
  return fileURLToPath(existsSync(inRepository) ? inRepository : beside)
}
