/** The configuration as the program uses it: complete, checked, in the units that the code counts in. */

import type { Finality } from '../core/chain/finality.ts'
import type { FeeModel } from '../core/fees/fees.ts'
import type { PriceFloor } from '../core/fees/price-floor.ts'
import type { LogLevel } from '../ports/telemetry.ts'
import { type KeyConfig, toKeyConfig } from './key-config.ts'
import type { SettingValues } from './settings.ts'
import type { SignerPolicies } from './signer-policies.ts'
import type { OracleFields, OracleUnit } from './values/oracle-fields.ts'
import type { SendUrls } from './values/send-urls.ts'

export interface ChainConfig {
  /** Null: whatever the node says at the start. */
  readonly chainId: number | null
  readonly rpcUrls: readonly string[]
  /** Where signed transactions go; empty: to all of `rpcUrls`. */
  /** One for each http(s) URL, in order. Empty: reads go to the first that is healthy. */
  readonly rpcWeights: readonly number[]
  readonly sendUrls: SendUrls
  readonly finality: Finality
  readonly blockTimeMs: number
  /** Null: ten block times, as observed. */
  readonly standingAfterMs: number | null
  /** Null: the pace follows the chain's blocks. */
  readonly pollIntervalMs: number | null
  readonly rpcMaxPauseMs: number
  readonly feeModel: FeeModel
  /** Per gas; null: what the market asks. */
  readonly gasPriceWei: bigint | null
  readonly priceFloor: PriceFloor
  /** Null: only the RPC nodes say what gas costs. */
  readonly gasOracle: {
    readonly url: string
    readonly fields: OracleFields
    readonly unit: OracleUnit
    readonly timeoutMs: number
  } | null
  /** Null: `none` was written. */
  readonly maxTxFeeWei: bigint | null
  readonly preconfirmations: boolean
  /** Null: the chain's finality. */
  readonly timersDeliverAt: Finality | null
}

export interface Config {
  /** `poolerUrl`: statements go through it; null: they do not. */
  readonly database: { readonly url: string; readonly poolerUrl: string | null }
  readonly chains: readonly ChainConfig[]
  readonly http: { readonly host: string; readonly port: number }
  /** Whether it may start without an API key. */
  readonly isOpen: boolean
  /** `sharePercent`: of all that is shared, what one tenant may have. `maxBodyBytes`: of all requests at one time. */
  readonly tenants: {
    readonly sharePercent: number
    readonly maxBodyBytes: number
    readonly maxQueuedPerSigner: number
    readonly maxQueued: number
  }
  readonly timers: { readonly maxPerTenant: number; readonly maxPerSigner: number; readonly sharePercent: number }
  readonly reservations: { readonly defaultTtlMs: number; readonly maxTtlMs: number }
  /** Secrets in the database are stored under the first. */
  readonly secretsKeys: readonly Uint8Array[]
  readonly signers: { readonly policies: SignerPolicies }
  readonly keys: KeyConfig
  /** What all signers' policies share; `maxInFlight` is for `fast` ones. */
  readonly policy: {
    readonly resubmitIntervalMs: number
    readonly stuckAfterMs: number
    readonly maxSubmitAttempts: number
    readonly maxInFlight: number | 'auto'
    readonly bumpAfterMs: number
    readonly lowRunway: number | null
  }
  readonly balanceIntervalMs: number
  readonly stuck: { readonly hook: string | null; readonly secret: string | null; readonly reviewIntervalMs: number }
  readonly lease: { readonly durationMs: number; readonly renewIntervalMs: number }
  readonly writer: { readonly count: number; readonly lingerMs: number; readonly batchSize: number }
  readonly intake: { readonly queueLimit: number; readonly lingerMs: number; readonly batchSize: number }
  readonly receipts: {
    readonly staleTimeoutMs: number
    readonly fetchUponEntry: boolean
    readonly workers: number
    readonly batchSize: number
  }
  readonly blocks: { readonly headerWindow: number; readonly queueLength: number }
  readonly events: { readonly maxStreams: number; readonly heartbeatMs: number; readonly stallMs: number }
  /** `holdTimeoutMs`: how long `eth_sendTransaction` waits for its hash. */
  readonly rpc: {
    readonly holdTimeoutMs: number
    readonly allowedMethods: readonly string[]
    readonly maxSockets: number
  }
  readonly webhooks: {
    readonly allowPrivate: boolean
    readonly max: number
    readonly timeoutMs: number
    readonly parallel: number
    readonly retry: { readonly firstPauseMs: number; readonly longestPauseMs: number; readonly giveUpAfterMs: number }
    readonly disableAfterMs: number
    readonly secretOverlapMs: number
    readonly retentionMs: number
  }
  /** How long a request waits for its simulation. */
  readonly simulationTimeoutMs: number
  readonly logLevel: LogLevel
  readonly shutdownTimeoutMs: number
  /** How long what is finished is kept; null: for ever. */
  readonly retention: {
    readonly transactionsMs: number | null
    /** From the deletion of their transactions on. */
    readonly requestIdsMs: number
    readonly reservationsMs: number | null
    readonly eventsMs: number | null
    readonly auditMs: number | null
    /** Nothing is deleted before it was archived. */
    readonly onlyArchived: boolean
  }
  /** How many lanes a node shows one by one. */
  readonly metrics: { readonly maxLanes: number }
  /** Null: no traces. */
  readonly traces: { readonly url: string | null }
}

export type ChainValues = Pick<
  SettingValues,
  | 'rpcUrl'
  | 'rpcWeights'
  | 'rpcSendUrl'
  | 'chainId'
  | 'finality'
  | 'blockTime'
  | 'standingAfter'
  | 'pollInterval'
  | 'rpcMaxPause'
  | 'feeModel'
  | 'gasPrice'
  | 'minGasPrice'
  | 'minPriorityFee'
  | 'gasOracleUrl'
  | 'gasOracleFields'
  | 'gasOracleUnit'
  | 'gasOracleTimeout'
  | 'maxTxFee'
  | 'preconfirmations'
  | 'timersDeliverAt'
>

export function toConfig(values: Omit<SettingValues, keyof ChainValues>, chains: readonly ChainValues[]): Config {
  return {
    database: { url: values.databaseUrl, poolerUrl: values.databasePoolerUrl },
    chains: chains.map(toChainConfig),
    http: { host: values.host, port: values.port },
    isOpen: values.open,
    tenants: {
      sharePercent: values.tenantShare,
      maxBodyBytes: values.maxBodyMemory * 1024 * 1024,
      maxQueuedPerSigner: values.maxQueuedPerSigner,
      maxQueued: values.maxQueued,
    },
    timers: {
      maxPerTenant: values.maxTimersPerTenant,
      maxPerSigner: values.maxTimersPerSigner,
      sharePercent: values.timerShare,
    },
    reservations: { defaultTtlMs: values.reservationTtl, maxTtlMs: values.reservationMaxTtl },
    secretsKeys: values.secretsKey.map((key) => Buffer.from(key, 'hex')),
    signers: { policies: values.signerPolicy },
    keys: toKeyConfig(values),
    policy: {
      resubmitIntervalMs: values.resubmitInterval,
      stuckAfterMs: values.stuckAfter,
      maxSubmitAttempts: values.maxSubmitAttempts,
      maxInFlight: values.maxInFlight,
      bumpAfterMs: values.bumpAfter,
      lowRunway: values.lowRunway === 'none' ? null : values.lowRunway,
    },
    balanceIntervalMs: values.balanceInterval,
    stuck: { hook: values.stuckHook, secret: values.stuckHookSecret, reviewIntervalMs: values.stuckReviewInterval },
    lease: {
      durationMs: values.leaseDuration,
      renewIntervalMs: values.leaseRenewInterval,
    },
    writer: { count: values.writerCount, lingerMs: values.writerLinger, batchSize: values.writerBatchSize },
    intake: { queueLimit: values.intakeQueueLimit, lingerMs: values.intakeLinger, batchSize: values.intakeBatchSize },
    receipts: {
      staleTimeoutMs: values.staleReceiptTimeout,
      fetchUponEntry: values.fetchReceiptUponEntry,
      workers: values.receiptWorkers,
      batchSize: values.receiptBatchSize,
    },
    blocks: { headerWindow: values.headerWindow, queueLength: values.blockQueueLength },
    events: {
      maxStreams: values.maxEventStreams,
      heartbeatMs: values.eventHeartbeat,
      stallMs: values.eventStallTimeout,
    },
    rpc: {
      holdTimeoutMs: values.rpcHoldTimeout,
      allowedMethods: values.rpcAllowedMethods,
      maxSockets: values.rpcMaxSockets,
    },
    webhooks: toWebhookConfig(values),
    simulationTimeoutMs: values.simulationTimeout,
    logLevel: values.logLevel,
    shutdownTimeoutMs: values.shutdownTimeout,
    retention: {
      transactionsMs: orForEver(values.transactionRetention),
      requestIdsMs: values.requestIdRetention,
      reservationsMs: orForEver(values.reservationRetention),
      eventsMs: orForEver(values.eventRetention),
      auditMs: orForEver(values.auditRetention),
      onlyArchived: values.keepUntilArchived,
    },
    metrics: { maxLanes: values.metricsMaxLanes },
    traces: { url: values.otlpUrl },
  }
}

function toWebhookConfig(values: Omit<SettingValues, keyof ChainValues>): Config['webhooks'] {
  return {
    allowPrivate: values.webhookAllowPrivate,
    max: values.maxWebhooks,
    timeoutMs: values.webhookTimeout,
    parallel: values.webhookParallel,
    retry: {
      firstPauseMs: values.webhookRetryInterval,
      longestPauseMs: values.webhookRetryMaxInterval,
      giveUpAfterMs: values.webhookRetryFor,
    },
    disableAfterMs: values.webhookDisableAfter,
    secretOverlapMs: values.webhookSecretOverlap,
    retentionMs: values.webhookRetention,
  }
}

function toChainConfig(values: ChainValues): ChainConfig {
  return {
    chainId: values.chainId,
    rpcUrls: values.rpcUrl,
    rpcWeights: values.rpcWeights,
    sendUrls: values.rpcSendUrl,
    finality: values.finality,
    blockTimeMs: values.blockTime,
    standingAfterMs: values.standingAfter,
    pollIntervalMs: values.pollInterval,
    rpcMaxPauseMs: values.rpcMaxPause,
    feeModel: values.feeModel,
    gasPriceWei: values.gasPrice,
    priceFloor: { minGasPriceWei: values.minGasPrice, minPriorityFeeWei: values.minPriorityFee },
    gasOracle: toGasOracle(values),
    maxTxFeeWei: values.maxTxFee,
    preconfirmations: values.preconfirmations,
    timersDeliverAt: values.timersDeliverAt,
  }
}

type OracleValues = Pick<ChainValues, 'gasOracleUrl' | 'gasOracleFields' | 'gasOracleUnit' | 'gasOracleTimeout'>

/** Null: none is configured, or not completely. */
export function toGasOracle(values: Partial<OracleValues>): ChainConfig['gasOracle'] {
  const { gasOracleUrl: url, gasOracleFields: fields, gasOracleUnit: unit, gasOracleTimeout: timeoutMs } = values
  if (url == null || fields === undefined || unit === undefined || timeoutMs === undefined) return null
  return { url, fields, unit, timeoutMs }
}

function orForEver(keptMs: number | 'none'): number | null {
  return keptMs === 'none' ? null : keptMs
}
