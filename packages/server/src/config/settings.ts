/**
 * Every setting, once. Flags, environment variables, the configuration file, the reference page, `drover config` and the
 * hiding of secrets are all derived from this table, so a setting that is not here does not exist anywhere.
 */

import { DEFAULT_SHARE_PERCENT } from '../core/access/tenant-share.ts'
import type { Finality } from '../core/chain/finality.ts'
import { DEFAULT_MAX_TX_FEE_WEI } from '../core/fees/fee-cap.ts'
import { FEE_MODELS, type FeeModel } from '../core/fees/fees.ts'
import { FAST, STABLE } from '../core/lane/policy.ts'
import type { LogLevel } from '../ports/telemetry.ts'
import { KEY_SETTINGS } from './key-settings.ts'
import { RETENTION_SETTINGS } from './retention-settings.ts'
import { type Setting, setting } from './setting.ts'
import { ALL_STABLE, type SignerPolicies, signerPolicies } from './signer-policies.ts'
import { amountOr } from './values/amount.ts'
import { duration } from './values/duration.ts'
import { finalityRule } from './values/finality-rule.ts'
import { methodList } from './values/method-list.ts'
import { ORACLE_UNITS, type OracleFields, type OracleUnit, oracleFields } from './values/oracle-fields.ts'
import { secretKeyList } from './values/secret-key-list.ts'
import { SEND_TO_ALL_NODES, type SendUrls, secretsOfSendUrls, sendUrls } from './values/send-urls.ts'
import { databaseUrl, httpUrl, rpcUrlList, secretPartsOf } from './values/service-url.ts'
import { boolean, integer, oneOf, optional, orWord, text } from './values/setting-type.ts'
import { weightList } from './values/weight-list.ts'

const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const satisfies readonly LogLevel[]
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const NEW_SIGNERS = 'Applies to new signers. Change existing signers with `PATCH /v1/signers/{address}`.'

export const SETTINGS = {
  configFile: setting<string | null>({
    type: optional(text, 'drover.config.json in the working directory, if it exists'),
    fallback: null,
    description:
      'The configuration file, in JSON or TypeScript. Drover runs a TypeScript file only if it is named here.',
    outsideFile: true,
  }),
  databaseUrl: setting({
    type: databaseUrl,
    description:
      'The PostgreSQL database (14 or later). It stores everything. With `?sslmode=verify-full` the connection is encrypted and the certificate checked; `&sslrootcert=/path/ca.pem` names an authority of your own. `sslmode=require` means the same here.',
    secrets: secretPartsOf,
  }),
  databasePoolerUrl: setting<string | null>({
    type: optional(databaseUrl, 'none'),
    fallback: null,
    description:
      'A pooler in front of the same database, such as PgBouncer in transaction mode. Statements go through it. Migrations and one listening connection per node still use `databaseUrl`, which must lead to PostgreSQL itself.',
    secrets: (url) => (url === null ? [] : secretPartsOf(url)),
  }),
  rpcUrl: setting({
    type: rpcUrlList,
    description: 'URLs of the RPC nodes. Drover uses several as a pool and sends each transaction to all of them.',
    secrets: (urls) => urls.flatMap(secretPartsOf),
    perChain: true,
  }),
  rpcWeights: setting<readonly number[]>({
    type: weightList,
    fallback: [],
    description:
      'How reads are shared between the http(s) URLs in `rpcUrl`: one number for each, in order, such as `3,1,0`. Each URL gets turns of a minute by its number. `0`: read only if no other works. Empty: reads go to the first URL that works. Transactions are sent to all of them anyway.',
    perChain: true,
  }),
  rpcSendUrl: setting<SendUrls>({
    type: sendUrls,
    fallback: SEND_TO_ALL_NODES,
    description:
      'Where signed transactions go if not to all of `rpcUrl`. A plain URL is for all signers, `0x…=URL` is for one signer. Transactions with a URL here are never sent to any other endpoint, by any node: a node without a URL for such a signer does not run it. `0x…=public` ends that.',
    secrets: secretsOfSendUrls,
    perChain: true,
  }),
  ...KEY_SETTINGS,
  signerPolicy: setting<SignerPolicies>({
    type: signerPolicies,
    fallback: ALL_STABLE,
    description:
      'Policy preset of new signers. `stable,0x…=fast` makes exceptions. Change existing signers with `PATCH /v1/signers/{address}`.',
  }),
  chainId: setting<number | null>({
    type: optional(integer(1, Number.MAX_SAFE_INTEGER), 'what the RPC node reports'),
    fallback: null,
    description: 'The expected chain id. If set, Drover does not start with an RPC node of another chain.',
    perChain: true,
  }),
  finality: setting<Finality>({
    type: finalityRule,
    fallback: { type: 'confirmations', count: 12 },
    description:
      'When a mined transaction is final: after this many confirmations, or when its block is `safe` or `finalized`.',
    perChain: true,
  }),
  blockTime: setting({
    type: duration(50, 60 * MINUTE),
    fallback: 12_000,
    description: 'The approximate block time of the chain.',
    perChain: true,
  }),
  standingAfter: setting<number | null>({
    type: optional(duration(100, DAY), 'ten observed block times, at least 30s'),
    fallback: null,
    description:
      'If there is no new block for this long while something waits to be mined, Drover reports the chain as stalled (state `standing`) and marks no transaction as stuck.',
    perChain: true,
  }),
  pollInterval: setting<number | null>({
    type: optional(duration(50, 10 * MINUTE), 'a quarter of the observed block time, at most 3s'),
    fallback: null,
    description: 'How often Drover asks an RPC node for a new block, in addition to any subscription.',
    perChain: true,
  }),
  rpcMaxPause: setting({
    type: duration(1_000, 60 * MINUTE),
    fallback: MINUTE,
    description:
      'The longest time that Drover pauses an RPC endpoint that answers 429 with `Retry-After`. After that it tries one request.',
    perChain: true,
  }),
  feeModel: setting<FeeModel>({
    type: oneOf(FEE_MODELS),
    fallback: 'auto',
    description: 'How gas is priced. `auto` uses EIP-1559 if blocks have a base fee.',
    perChain: true,
  }),
  gasPrice: setting<bigint | null>({
    type: amountOr('auto'),
    fallback: null,
    description:
      'The price per gas of every transaction. `auto` follows the market. Use a fixed price (zero is allowed) for chains with their own price, such as private chains with free gas.',
    perChain: true,
  }),
  minGasPrice: setting<bigint | null>({
    type: amountOr('none'),
    fallback: null,
    description:
      'The lowest price per gas to offer (base fee and tip together), for chains whose RPC nodes suggest less than they accept.',
    perChain: true,
  }),
  minPriorityFee: setting<bigint | null>({
    type: amountOr('none'),
    fallback: null,
    description: 'The lowest tip per gas to offer, for chains that require one.',
    perChain: true,
  }),
  gasOracleUrl: setting<string | null>({
    type: optional(httpUrl, 'none'),
    fallback: null,
    description:
      'A gas oracle that Drover asks by GET for the price of gas, at most every 3 s. Its prices count within a factor of 10 of those of the RPC nodes, and within `maxTxFee`. If it fails or is further off, the prices of the RPC nodes count.',
    secrets: (url) => (url === null ? [] : secretPartsOf(url)),
    perChain: true,
  }),
  gasOracleFields: setting<OracleFields>({
    type: oracleFields,
    fallback: { maxFee: ['maxFeePerGas'], priorityFee: ['maxPriorityFeePerGas'] },
    description: "Where the gas oracle's JSON has the price per gas (`maxFee`) and the tip (`priorityFee`).",
    perChain: true,
  }),
  gasOracleUnit: setting<OracleUnit>({
    type: oneOf(ORACLE_UNITS),
    fallback: 'gwei',
    description: 'The unit of the prices of the gas oracle.',
    perChain: true,
  }),
  gasOracleTimeout: setting({
    type: duration(100, 10_000),
    fallback: 2_000,
    description: 'How long Drover waits for the gas oracle. After a failure it asks again 15 s later.',
    perChain: true,
  }),
  maxTxFee: setting<bigint | null>({
    type: amountOr('none'),
    fallback: DEFAULT_MAX_TX_FEE_WEI,
    description:
      'The most that one transaction may cost in fees (gas limit times price per gas), no matter where the price comes from: an RPC node, a caller or a fee bump. Drover signs nothing above it. Signers and API keys can have lower limits. `none` removes this limit.',
    perChain: true,
  }),
  preconfirmations: setting({
    type: boolean,
    fallback: false,
    description:
      'Set this if the RPC nodes show the block being built under the tag `pending` (flashblocks and the like). Drover then reports a transaction with a receipt in it early, as preconfirmed.',
    perChain: true,
  }),
  timersDeliverAt: setting<Finality | null>({
    type: optional(finalityRule, 'the finality of the chain'),
    fallback: null,
    description:
      'When a timer that fired is sent: when the block that fired it has this many confirmations (`0`: at once), or is `safe` or `finalized`. A reorg drops fires that were not sent yet.',
    perChain: true,
  }),
  maxTimersPerTenant: setting({
    type: integer(1, 10_000_000),
    fallback: 10_000,
    description:
      'How many active or paused timers a tenant may have on each chain. Without API keys there is one tenant.',
  }),
  maxTimersPerSigner: setting({
    type: integer(1, 10_000_000),
    fallback: 100_000,
    description: 'How many active or paused timers may send from one signer on each chain, whoever created them.',
  }),
  timerShare: setting({
    type: integer(1, 100),
    fallback: 25,
    description:
      'How many of the places at one watched key (`maxWatchersPerPrefix`) and at one called contract (half of `maxTimersPerTarget`) the timers of one tenant may take, in percent. Without API keys there is only one tenant, which may take all.',
  }),
  host: setting({
    type: text,
    fallback: '127.0.0.1',
    description:
      'The address to listen on. An address that other machines can reach requires an API key. Without API keys, only this machine can call Drover.',
  }),
  port: setting({
    type: integer(0, 65_535),
    fallback: 4747,
    description: 'The port to listen on. 0 picks any free port.',
  }),
  open: setting({
    type: boolean,
    fallback: false,
    description:
      'Start without API keys: anyone who can call this machine can then do everything. Works only on a loopback address and without a proxy. Has no effect once an API key exists.',
  }),
  secretsKey: setting<readonly string[]>({
    type: secretKeyList,
    fallback: [],
    description:
      'Keys that encrypt the stored secrets of webhooks (AES-256-GCM). The first key encrypts new secrets, the others still decrypt old ones. Without a key, secrets are stored in plain text.',
    secrets: (keys) => keys,
  }),
  tenantShare: setting({
    type: integer(1, 100),
    fallback: DEFAULT_SHARE_PERCENT,
    description:
      'How much of each shared resource of a node one tenant may use, in percent: queued transactions, reserved nonces of a signer, requests waiting to be stored, event streams, WebSockets, requests with `wait`, calls to the chain and bytes in requests. Without API keys there is only one tenant, which may use everything.',
  }),
  maxQueuedPerSigner: setting({
    type: integer(1, 10_000_000),
    fallback: 20_000,
    description: 'How many transactions of one signer may wait for a nonce. Drover answers more with 429.',
  }),
  maxQueued: setting({
    type: integer(1, 10_000_000),
    fallback: 100_000,
    description: 'How many transactions of all signers may wait for a nonce. Drover answers more with 429.',
  }),
  maxBodyMemory: setting({
    type: integer(8, 65_536),
    fallback: 64,
    description:
      'How many MiB of requests a node reads and processes at the same time. It answers more with 429 or 503. Also how many MiB of answers clients may leave unread: above that, the connection with the most unread bytes is ended.',
  }),
  reservationTtl: setting({
    type: duration(1_000, DAY),
    fallback: MINUTE,
    description: 'How long an unused nonce stays reserved if the request does not say.',
  }),
  reservationMaxTtl: setting({
    type: duration(1_000, DAY),
    fallback: 10 * MINUTE,
    description:
      'The longest time that a nonce can be reserved or extended for. Until it is used, all higher nonces of that signer wait.',
  }),
  leaseDuration: setting({
    type: duration(1_000, 10 * MINUTE),
    fallback: 15_000,
    description: 'How long a lease lasts without renewal. After a crash, other nodes take over after this time.',
  }),
  leaseRenewInterval: setting({
    type: duration(100, 5 * MINUTE),
    fallback: 3_000,
    description: 'How often a node sends a heartbeat and renews its leases. At most half of leaseDuration.',
  }),
  maxInFlight: setting({
    type: orWord(integer(1, 10_000), 'auto'),
    fallback: FAST.maxInFlight,
    description: `How many unmined transactions a \`fast\` signer may have at the same time. \`auto\` finds out how many the RPC nodes keep. ${NEW_SIGNERS}`,
  }),
  bumpAfter: setting({
    type: duration(500, DAY),
    fallback: FAST.bumpAfterMs,
    description:
      'If a transaction of a `fast` signer is not mined after this time because its price is too low, Drover signs it again at a higher price.',
  }),
  resubmitInterval: setting({
    type: duration(500, DAY),
    fallback: STABLE.resubmitIntervalMs,
    description: `If a transaction is not mined after this time, Drover sends the same bytes again. ${NEW_SIGNERS}`,
  }),
  stuckAfter: setting({
    type: duration(1_000, 30 * DAY),
    fallback: STABLE.stuckAfterMs,
    description: `If a transaction is not mined after this time, Drover marks it STUCK and raises an alarm. It keeps watching it. ${NEW_SIGNERS}`,
  }),
  stuckHook: setting<string | null>({
    type: optional(text, 'none: always wait'),
    fallback: null,
    description:
      'Decides what to do with a STUCK transaction: the http(s) URL of a signed webhook, or the path of a module with a default export. It answers wait, retry, bump, cancel or resolve.',
  }),
  stuckHookSecret: setting<string | null>({
    type: optional(text, 'none'),
    fallback: null,
    description:
      'Secret that signs requests to the stuck hook, as in Standard Webhooks. Plain text, or base64 after `whsec_`.',
    secrets: (secret) => (secret === null ? [] : [secret]),
  }),
  stuckReviewInterval: setting({
    type: duration(1_000, DAY),
    fallback: 5 * MINUTE,
    description: 'How often Drover asks the stuck hook again about a transaction that is still stuck.',
  }),
  maxSubmitAttempts: setting({
    type: integer(1, 100_000),
    fallback: STABLE.maxSubmitAttempts,
    description: `A transaction that RPC nodes refused this many times in a row is STUCK. ${NEW_SIGNERS}`,
  }),
  lowRunway: setting<number | 'none'>({
    type: orWord(integer(1, 1_000_000), 'none'),
    fallback: STABLE.lowRunway ?? 'none',
    description: `Drover warns when the balance of a signer pays for fewer transactions than this. To warn at a fixed amount, set \`lowBalance\` in the signer's policy. ${NEW_SIGNERS}`,
  }),
  balanceInterval: setting({
    type: duration(1_000, DAY),
    fallback: MINUTE,
    description:
      'How often Drover reads the balances of idle signers, all in one request. It reads the balance of a busy signer with every block that includes one of its transactions.',
  }),
  staleReceiptTimeout: setting({
    type: duration(1_000, DAY),
    fallback: MINUTE,
    description: 'If nothing was heard of a transaction for this long, Drover looks it up by its hashes.',
  }),
  fetchReceiptUponEntry: setting({
    type: boolean,
    fallback: false,
    description: 'Look up a transaction by hash as soon as it is sent, without waiting for the next block.',
  }),
  receiptWorkers: setting({
    type: integer(1, 100),
    fallback: 10,
    description: 'How many lookups by hash may run at the same time.',
  }),
  receiptBatchSize: setting({
    type: integer(1, 1_000),
    fallback: 100,
    description: 'How many hashes one lookup contains.',
  }),
  headerWindow: setting({
    type: integer(16, 100_000),
    fallback: 256,
    description:
      'How many recent block headers Drover keeps per chain. Must be more than the confirmations that finality needs.',
  }),
  blockQueueLength: setting({
    type: integer(1, 10_000),
    fallback: 50,
    description: 'How many blocks may wait to be processed before Drover stops reading ahead.',
  }),
  writerCount: setting({
    type: integer(1, 64),
    fallback: 4,
    description:
      'The most batches a node writes at one time. A second one starts when it is full or the first is slow.',
  }),
  writerLinger: setting({
    type: duration(0, 1_000),
    fallback: 3,
    description: 'How long a writer collects changes before it writes them.',
  }),
  writerBatchSize: setting({
    type: integer(1, 5_000),
    fallback: 500,
    description: 'The largest number of transactions in one write.',
  }),
  intakeQueueLimit: setting({
    type: integer(1, 1_000_000),
    fallback: 5_000,
    description: 'How many requests may wait to be stored. Drover answers more with 429.',
  }),
  intakeLinger: setting({
    type: duration(0, 1_000),
    fallback: 3,
    description: 'How long Drover collects accepted requests before it stores them together.',
  }),
  intakeBatchSize: setting({
    type: integer(1, 5_000),
    fallback: 500,
    description: 'The largest number of requests stored together.',
  }),
  webhookAllowPrivate: setting({
    type: boolean,
    fallback: false,
    description:
      'Allow webhooks with private addresses and plain http. Anyone who can create a webhook can then make Drover call services in its own network.',
  }),
  maxWebhooks: setting({
    type: integer(1, 10_000),
    fallback: 100,
    description: 'The largest number of webhooks.',
  }),
  webhookTimeout: setting({
    type: duration(100, MINUTE),
    fallback: 15_000,
    description: 'How long a webhook receiver may take to respond.',
  }),
  webhookParallel: setting({
    type: integer(1, 100),
    fallback: 16,
    description: 'How many deliveries to one webhook may run at the same time, each for a different transaction.',
  }),
  webhookRetryInterval: setting({
    type: duration(100, DAY),
    fallback: 2_000,
    description: 'The pause before the first retry of a delivery. It doubles with each further retry.',
  }),
  webhookRetryMaxInterval: setting({
    type: duration(100, DAY),
    fallback: 60 * MINUTE,
    description: 'The longest pause between two attempts of a delivery.',
  }),
  webhookRetryFor: setting({
    type: duration(1_000, 30 * DAY),
    fallback: 3 * DAY,
    description:
      'Drover gives up a delivery that still fails this long after its first attempt. You can send it again by hand.',
  }),
  webhookDisableAfter: setting({
    type: duration(1_000, 90 * DAY),
    fallback: 5 * DAY,
    description: 'Drover disables a webhook if all deliveries have failed for this long.',
  }),
  webhookSecretOverlap: setting({
    type: duration(0, 30 * DAY),
    fallback: DAY,
    description: 'How long deliveries are signed with the old secret too after it is rotated.',
  }),
  webhookRetention: setting({
    type: duration(1_000, 365 * DAY),
    fallback: 14 * DAY,
    description: 'How long finished deliveries are kept.',
  }),
  maxEventStreams: setting({
    type: integer(1, 100_000),
    fallback: 1_000,
    description: 'How many event streams a node serves at the same time. It answers more with 503.',
  }),
  eventHeartbeat: setting({
    type: duration(100, 10 * MINUTE),
    fallback: 15_000,
    description:
      'How often an idle event stream sends a heartbeat. Streams of a revoked API key are closed within this time.',
  }),
  eventStallTimeout: setting({
    type: duration(100, 10 * MINUTE),
    fallback: 30_000,
    description:
      'Drover disconnects a client that reads nothing from its event stream, or from an answer, for this long. A stream can be resumed.',
  }),
  simulationTimeout: setting({
    type: duration(10, MINUTE),
    fallback: 1_000,
    description:
      'How long a request waits for its simulation. After that it is accepted with `simulated: false` and simulated before it gets a nonce.',
  }),
  rpcHoldTimeout: setting({
    type: duration(100, 10 * MINUTE),
    fallback: 8_000,
    description:
      'How long `eth_sendTransaction` waits for its hash. After that it returns an error with the id of the transaction, which continues. Keep it shorter than the timeout of your clients, or they never see that answer (viem gives up after 10s).',
  }),
  rpcAllowedMethods: setting<readonly string[]>({
    type: methodList,
    fallback: [],
    description:
      'Additional JSON-RPC methods to forward to the RPC nodes, such as `debug_traceTransaction`. Every key with the scope `read` can call them.',
  }),
  rpcMaxSockets: setting({
    type: integer(1, 100_000),
    fallback: 1_000,
    description:
      'How many WebSocket connections to the JSON-RPC endpoint may be open at the same time. Drover refuses more.',
  }),
  logLevel: setting<LogLevel>({
    type: oneOf(LOG_LEVELS),
    fallback: 'info',
    description: 'The lowest level to log.',
  }),
  ...RETENTION_SETTINGS,
  metricsMaxLanes: setting({
    type: integer(0, 100_000),
    fallback: 500,
    description:
      'How many lanes (one signer on one chain) a node shows one by one in `/metrics`. It shows the others of each chain together, as the signer `others`: sums, the lowest balance, the longest wait.',
  }),
  otlpUrl: setting<string | null>({
    type: optional(httpUrl, 'none: no traces'),
    fallback: null,
    description:
      'Where to send traces: the URL of an OpenTelemetry collector, OTLP/HTTP with JSON, such as `http://127.0.0.1:4318/v1/traces`. Each transaction becomes a trace when it ends.',
    secrets: (url) => (url === null ? [] : secretPartsOf(url)),
  }),
  shutdownTimeout: setting({
    type: duration(100, 10 * MINUTE),
    fallback: 10_000,
    description:
      'How long a clean shutdown may take. After that the process ends, and other nodes take over when its leases expire.',
  }),
} as const

export type SettingName = keyof typeof SETTINGS
export type SettingValues = {
  readonly [Name in SettingName]: (typeof SETTINGS)[Name] extends Setting<infer T> ? T : never
}

export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[]
export const CHAIN_SETTING_NAMES = SETTING_NAMES.filter((name) => settingOf(name).perChain === true)

/** The table's row without its value type, for code that treats all settings alike. */
export function settingOf(name: SettingName): Setting<unknown> {
  return SETTINGS[name] as Setting<unknown>
}

export function isRequired(name: SettingName): boolean {
  return !('fallback' in SETTINGS[name])
}

export function isSecret(name: SettingName): boolean {
  return settingOf(name).secrets !== undefined
}

export function findSettingName(text: string): SettingName | null {
  return SETTING_NAMES.find((name) => name === text) ?? null
}

export function environmentVariableOf(name: SettingName): string {
  return `DROVER_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`
}

/** Null for secrets. */
export function flagOf(name: SettingName): string | null {
  return isSecret(name) ? null : `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}
