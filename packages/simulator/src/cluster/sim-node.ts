/** One node of the simulated cluster, wired like the service, from the same parts. */
import { createEvmChain } from '../../../server/src/chain/evm-chain.ts'
import type { OpenPost } from '../../../server/src/chain/rpc/http-post.ts'
import type { ChainView, Finality } from '../../../server/src/core/chain/finality.ts'
import type { Lane } from '../../../server/src/core/lane/lane.ts'
import { type Accept, createAccept } from '../../../server/src/engine/accept/accept.ts'
import { type AcceptBatch, createAcceptBatch } from '../../../server/src/engine/accept/accept-batch.ts'
import { createIntake } from '../../../server/src/engine/accept/intake.ts'
import { createKnownSigners } from '../../../server/src/engine/accept/known-signers.ts'
import type { ChainSettings } from '../../../server/src/engine/chain-unit.ts'
import { createEngine, type Engine, type EngineSettings } from '../../../server/src/engine/engine.ts'
import { createFillGaps, type FillGaps } from '../../../server/src/engine/gaps/fill-gaps.ts'
import { createOperate, type Operate } from '../../../server/src/engine/operate/operate.ts'
import { createResetNonce, type ResetNonce } from '../../../server/src/engine/operate/reset-nonce.ts'
import { createStuckReview } from '../../../server/src/engine/operate/stuck-review.ts'
import { createReservations, type Reservations } from '../../../server/src/engine/reservations/reserve.ts'
import { createTakeBackNonces, type TakeBackNonces } from '../../../server/src/engine/reservations/take-back-nonces.ts'
import type { Random } from '../../../server/src/ports/clock.ts'
import type { Signer } from '../../../server/src/ports/signer.ts'
import type { Store } from '../../../server/src/ports/store.ts'
import type { StuckHook } from '../../../server/src/ports/stuck-hook.ts'
import type { Telemetry } from '../../../server/src/ports/telemetry.ts'
import type { WebhookStore } from '../../../server/src/ports/webhook-store.ts'
import type { Poster } from '../../../server/src/webhooks/post-delivery.ts'
import { createWebhookDeliverer } from '../../../server/src/webhooks/webhook-deliverer.ts'
import type { SimProcess } from './process.ts'

export interface NodePorts {
  readonly nodeId: string
  readonly process: SimProcess
  readonly store: Store
  readonly webhooks: WebhookStore
  readonly poster: Poster
  readonly signer: Signer
  readonly random: Random
  readonly telemetry: Telemetry
  readonly hook: StuckHook | null
  readonly chainId: number
  readonly urls: readonly string[]
  readonly openPost: OpenPost
  readonly chainSettings: ChainSettings
}

export interface SimNode {
  readonly nodeId: string
  readonly process: SimProcess
  readonly engine: Engine
  readonly accept: Accept
  readonly acceptBatch: AcceptBatch
  readonly operate: Operate
  readonly reservations: Reservations
  readonly takeBack: TakeBackNonces
  readonly resets: ResetNonce
  readonly fillGaps: FillGaps
  readonly store: Store
  start(): Promise<void>
  stop(): Promise<void>
}

const LEASE_MS = 15_000

const ENGINE_SETTINGS: EngineSettings = {
  keeper: { leaseTtlMs: LEASE_MS, renewIntervalMs: 5_000, marginMs: 1_500 },
  writer: { writers: 2, lingerMs: 3, batchSize: 500 },
  prepareBatch: 50,
  prepareRetryMs: 1_000,
  sharePercent: 50,
  queuePollMs: 5_000,
  balanceIntervalMs: 60_000,
  shutdownTimeoutMs: 10_000,
}

const WEBHOOK_SETTINGS = {
  retry: { firstPauseMs: 1_000, longestPauseMs: 20_000, giveUpAfterMs: 86_400_000 },
  disableAfterMs: 10 * 86_400_000,
  retentionMs: 86_400_000,
  parallel: 4,
}

export function createSimNode(ports: NodePorts): SimNode {
  const { nodeId, process, store, signer, random, telemetry, chainId, chainSettings } = ports
  const { clock } = process
  const chain = createEvmChain({
    chainId,
    urls: ports.urls,
    clock,
    telemetry,
    openPost: ports.openPost,
    pollIntervalMs: chainSettings.pollIntervalMs,
    blockTimeMs: chainSettings.blockTimeMs,
  })
  const chains = new Map([[chainId, chain]])
  const engine = createEngine({
    store,
    signer,
    clock,
    random,
    telemetry,
    nodeId,
    address: null,
    settings: ENGINE_SETTINGS,
    chains: [{ chain, settings: chainSettings }],
    onDatabaseTime: process.adjust,
    onStuck: (txId, isOurs) => review.notice(txId, isOurs),
  })
  const intake = createIntake({ store, clock, telemetry })
  const signers = createKnownSigners({ store, clock, telemetry })
  const viewOf = (): ChainView | null => engine.followStatus()[0]?.view ?? null
  const policyOf = (lane: Lane) => signers.peek(lane)?.policy ?? null
  const finalityOf = (lane: Lane): Finality => policyOf(lane)?.finality ?? chainSettings.finality
  const accept = createAccept({
    store,
    signers,
    chains,
    intake,
    clock,
    random,
    telemetry,
    simulationTimeoutMs: 2_000,
    headOf: () => viewOf()?.head ?? null,
    maxTxFeeOf: () => chainSettings.maxTxFeeWei,
  })
  const operate = createOperate({ store, chains, clock, telemetry, viewOf, policyOf, finalityOf })
  const review = createStuckReview({
    store,
    clock,
    telemetry,
    operate,
    policyOf,
    hook: ports.hook,
    intervalMs: 20_000,
  })
  const reservations = createReservations({ store, chains, clock, random })
  const resets = createResetNonce({ store, clock, random })
  const deliverer = createWebhookDeliverer({
    webhooks: ports.webhooks,
    store,
    clock,
    random,
    telemetry,
    nodeId,
    poster: ports.poster,
    settings: WEBHOOK_SETTINGS,
    lease: { ttlMs: LEASE_MS, renewIntervalMs: 5_000 },
    present: ({ eventId, txId, count }) => ({ eventId, txId, count }),
  })

  return {
    nodeId,
    process,
    engine,
    accept,
    operate,
    reservations,
    resets,
    store,
    acceptBatch: createAcceptBatch({ accept, intake }),
    takeBack: createTakeBackNonces({ store, chains }),
    fillGaps: createFillGaps({ store, clock, random }),
    async start() {
      await engine.start()
      await deliverer.start()
    },
    async stop() {
      review.stop()
      await Promise.all([engine.stop(), deliverer.stop(), intake.drain()])
      signers.close()
      reservations.close()
      resets.close()
      await chain.close()
    },
  }
}
