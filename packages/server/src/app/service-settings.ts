/** The settings of a node, in the form in which its parts take them. */
import type { ChainConfig, Config } from '../config/config.ts'
import type { Address } from '../core/hex.ts'
import { type Policy, PRESETS } from '../core/lane/policy.ts'

const MAX_LOOK_MS = 3_000
const PREPARE_BATCH = 100
const PREPARE_RETRY_MS = 1_000

export function policyOf({ signers, policy }: Config, address: Address): Policy {
  const preset = PRESETS[signers.policies.byAddress.get(address) ?? signers.policies.preset]
  const { maxInFlight, ...shared } = policy
  return { ...preset, ...shared, maxInFlight: preset.preset === 'fast' ? maxInFlight : preset.maxInFlight }
}

export function toChainSettings(config: Config, own: ChainConfig) {
  return {
    finality: own.finality,
    headerWindow: config.blocks.headerWindow,
    // The chain reports its heads. Polling finds a block that was not reported.
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

export function toEngineSettings(config: Config) {
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

export function toIntakeLimits({ intake }: Config) {
  return { maxWaiting: intake.queueLimit, lingerMs: intake.lingerMs, maxBatch: intake.batchSize }
}
