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
import { amountOr } from './amount.ts'
import { duration } from './duration.ts'
import { finalityRule } from './finality-rule.ts'
import { keyList } from './key-list.ts'
import { methodList } from './method-list.ts'
import { secretKeyList } from './secret-key-list.ts'
import { databaseUrl, rpcUrlList, secretPartsOf } from './service-url.ts'
import { boolean, integer, oneOf, optional, orWord, type SettingType, text } from './setting-type.ts'
import { ALL_STABLE, type SignerPolicies, signerPolicies } from './signer-policies.ts'

export interface Setting<T> {
  readonly type: SettingType<T>
  /** Absent: it has to be given. */
  readonly fallback?: T
  readonly description: string
  /** The strings in its value that must never be seen. A secret has no flag: anybody can read a process's arguments. */
  readonly secrets?: (value: T) => readonly string[]
  /** May be given for each chain under `chains` in the file. */
  readonly perChain?: true
  /** Cannot be given in the file, since it says where the file is. */
  readonly outsideFile?: true
}

const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const satisfies readonly LogLevel[]
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const NEW_SIGNERS =
  'For new signers; those already known keep theirs until it is changed by `PATCH /v1/signers/{address}`.'

function setting<T>(definition: Setting<T>): Setting<T> {
  return definition
}

export const SETTINGS = {
  configFile: setting<string | null>({
    type: optional(text, 'drover.config.json in the working directory, if there is one'),
    fallback: null,
    description: 'The configuration file, in JSON or TypeScript. One in TypeScript is only run where it is named here.',
    outsideFile: true,
  }),
  databaseUrl: setting({
    type: databaseUrl,
    description: 'The PostgreSQL database (14 or later) that holds everything.',
    secrets: secretPartsOf,
  }),
  rpcUrl: setting({
    type: rpcUrlList,
    description: 'The nodes of the chain. Several are used as a pool, and each transaction is sent to all of them.',
    secrets: (urls) => urls.flatMap(secretPartsOf),
    perChain: true,
  }),
  signerKeys: setting({
    type: keyList,
    description: 'Private keys of the accounts to send from, for tests and trials.',
    secrets: (keys) => keys.map((key) => key.slice(2)),
  }),
  signerPolicy: setting<SignerPolicies>({
    type: signerPolicies,
    fallback: ALL_STABLE,
    description:
      'Policy preset of new signers; `stable,0x…=fast` makes exceptions. Signers already known keep theirs until `PATCH /v1/signers/{address}`.',
  }),
  chainId: setting<number | null>({
    type: optional(integer(1, Number.MAX_SAFE_INTEGER), 'what the node says'),
    fallback: null,
    description: 'The chain that the nodes must be of. Given, a node of another chain stops the start.',
    perChain: true,
  }),
  finality: setting<Finality>({
    type: finalityRule,
    fallback: { type: 'confirmations', count: 12 },
    description:
      'When an inclusion is final: after this many blocks on top of it, or under the tag `safe` or `finalized`.',
    perChain: true,
  }),
  blockTime: setting({
    type: duration(50, 60 * MINUTE),
    fallback: 12_000,
    description: 'How often the chain makes a block, roughly.',
    perChain: true,
  }),
  standingAfter: setting<number | null>({
    type: optional(duration(100, DAY), 'ten block times as observed, at least 30s'),
    fallback: null,
    description:
      'Without a new block for this long, while something waits to be mined, the chain is reported as standing and no transaction is called stuck.',
    perChain: true,
  }),
  pollInterval: setting<number | null>({
    type: optional(duration(50, 10 * MINUTE), 'half of blockTime, at least 100ms'),
    fallback: null,
    description: 'How often a node is asked for a new block, behind any subscription.',
    perChain: true,
  }),
  rpcMaxPause: setting({
    type: duration(1_000, 60 * MINUTE),
    fallback: MINUTE,
    description:
      'How long at most an RPC endpoint that answers 429 with `Retry-After` is left alone; then it is tried with one request.',
    perChain: true,
  }),
  feeModel: setting<FeeModel>({
    type: oneOf(FEE_MODELS),
    fallback: 'auto',
    description: 'How gas is priced; `auto` uses EIP-1559 where blocks have a base fee.',
    perChain: true,
  }),
  gasPrice: setting<bigint | null>({
    type: amountOr('auto'),
    fallback: null,
    description:
      'What every transaction offers per gas; `auto` follows the market. A fixed price, zero included, is for chains with a price of their own, such as private ones where gas is free.',
    perChain: true,
  }),
  maxTxFee: setting<bigint | null>({
    type: amountOr('none'),
    fallback: DEFAULT_MAX_TX_FEE_WEI,
    description:
      'The most that one transaction may cost in fees (gas limit times price per gas), whoever named the price: a node, a caller, a fee bump. Above it nothing is signed. Signers and API keys can have lower limits; `none` takes this one away.',
    perChain: true,
  }),
  preconfirmations: setting({
    type: boolean,
    fallback: false,
    description:
      "The chain's nodes show the block that is being built under the tag `pending` (flashblocks and the like): a transaction that has a receipt in it is told early, as preconfirmed.",
    perChain: true,
  }),
  host: setting({
    type: text,
    fallback: '127.0.0.1',
    description:
      'The address to listen on. One that others can reach needs an API key first: without any, only this machine may call.',
  }),
  port: setting({
    type: integer(0, 65_535),
    fallback: 4747,
    description: 'The port to listen on; 0 takes any free one.',
  }),
  open: setting({
    type: boolean,
    fallback: false,
    description:
      'Start without an API key: whoever can call this machine may then do everything. Only on a loopback address, and not behind a proxy. Has no effect once there is a key.',
  }),
  secretsKey: setting<readonly string[]>({
    type: secretKeyList,
    fallback: [],
    description:
      'Keys that the secrets of webhooks are stored under (AES-256-GCM); the first is used for new ones, the others still open old ones. None: they are stored as they are.',
    secrets: (keys) => keys,
  }),
  tenantShare: setting({
    type: integer(1, 100),
    fallback: DEFAULT_SHARE_PERCENT,
    description:
      'Percent that one tenant may have of what all share on a node: queued transactions, the window of a signer in reserved nonces, requests on their way to the store, event streams, WebSockets, waiting requests, calls to the chain and bytes in requests. A service without keys has one tenant, which may have all.',
  }),
  maxQueuedPerSigner: setting({
    type: integer(1, 10_000_000),
    fallback: 20_000,
    description: 'Transactions of one signer that may wait for a nonce; more are answered with 429.',
  }),
  maxQueued: setting({
    type: integer(1, 10_000_000),
    fallback: 100_000,
    description: 'Transactions of all signers that may wait for a nonce; more are answered with 429.',
  }),
  maxBodyMemory: setting({
    type: integer(8, 65_536),
    fallback: 64,
    description: 'MiB of requests that a node reads and works on at one time; more are answered with 429 or 503.',
  }),
  reservationTtl: setting({
    type: duration(1_000, DAY),
    fallback: MINUTE,
    description: 'How long a nonce stays reserved without being used, where the request does not say.',
  }),
  reservationMaxTtl: setting({
    type: duration(1_000, DAY),
    fallback: 10 * MINUTE,
    description:
      'The longest time that a nonce can be reserved, or extended, for. As long as it is not used, everything above it on that signer waits.',
  }),
  leaseDuration: setting({
    type: duration(1_000, 10 * MINUTE),
    fallback: 15_000,
    description: 'How long a lane stays with a node that no longer renews it: the pause after a crash.',
  }),
  leaseRenewInterval: setting({
    type: duration(100, 5 * MINUTE),
    fallback: 3_000,
    description: 'How often a node says that it is alive and renews its leases; at most half of leaseDuration.',
  }),
  maxInFlight: setting({
    type: orWord(integer(1, 10_000), 'auto'),
    fallback: FAST.maxInFlight,
    description: `Unmined transactions of one \`fast\` signer at one time: the most that may be out, or \`auto\`, which finds out how many the chain's nodes keep. ${NEW_SIGNERS}`,
  }),
  bumpAfter: setting({
    type: duration(500, DAY),
    fallback: FAST.bumpAfterMs,
    description:
      'A transaction of a `fast` signer that is not included after this long, because it offers too little, is signed again at a higher price.',
  }),
  resubmitInterval: setting({
    type: duration(500, DAY),
    fallback: STABLE.resubmitIntervalMs,
    description: `A transaction that is not included after this long is sent again, the same bytes. ${NEW_SIGNERS}`,
  }),
  stuckAfter: setting({
    type: duration(1_000, 30 * DAY),
    fallback: STABLE.stuckAfterMs,
    description: `A transaction that is not included after this long is STUCK: it is still watched, and an alarm is raised. ${NEW_SIGNERS}`,
  }),
  stuckHook: setting<string | null>({
    type: optional(text, 'none: always wait'),
    fallback: null,
    description:
      'Who decides about a STUCK transaction: the http(s) URL of a signed webhook, or the path of a module with a default export. Answers wait, retry, bump, cancel or resolve.',
  }),
  stuckHookSecret: setting<string | null>({
    type: optional(text, 'none'),
    fallback: null,
    description:
      'Signs what is posted to the stuck hook, as Standard Webhooks has it; text, or base64 behind `whsec_`.',
    secrets: (secret) => (secret === null ? [] : [secret]),
  }),
  stuckReviewInterval: setting({
    type: duration(1_000, DAY),
    fallback: 5 * MINUTE,
    description: 'How often the stuck hook is asked again about a transaction that is still stuck.',
  }),
  maxSubmitAttempts: setting({
    type: integer(1, 100_000),
    fallback: STABLE.maxSubmitAttempts,
    description: `A transaction that was refused this often in a row is STUCK. ${NEW_SIGNERS}`,
  }),
  lowRunway: setting<number | 'none'>({
    type: orWord(integer(1, 1_000_000), 'none'),
    fallback: STABLE.lowRunway ?? 'none',
    description: `A warning is given when the balance of a signer pays for fewer transactions than this. An amount of one's own: \`lowBalance\` of the signer's policy. ${NEW_SIGNERS}`,
  }),
  balanceInterval: setting({
    type: duration(1_000, DAY),
    fallback: MINUTE,
    description:
      'How often the balances of quiet signers are read, all in one request. Those of busy ones are read with every block that has one of their transactions.',
  }),
  staleReceiptTimeout: setting({
    type: duration(1_000, DAY),
    fallback: MINUTE,
    description: 'A transaction that was quiet for this long is looked up by its hashes.',
  }),
  fetchReceiptUponEntry: setting({
    type: boolean,
    fallback: false,
    description: 'Look a transaction up by hash as soon as it is sent, without waiting for the next block.',
  }),
  receiptWorkers: setting({
    type: integer(1, 100),
    fallback: 10,
    description: 'Look-ups by hash that may run at one time.',
  }),
  receiptBatchSize: setting({
    type: integer(1, 1_000),
    fallback: 100,
    description: 'Hashes in one look-up.',
  }),
  headerWindow: setting({
    type: integer(16, 100_000),
    fallback: 256,
    description: 'Recent block headers kept for each chain; more than the confirmations that finality asks for.',
  }),
  blockQueueLength: setting({
    type: integer(1, 10_000),
    fallback: 50,
    description: 'Blocks that may wait to be worked on before the follower stops reading ahead.',
  }),
  writerCount: setting({
    type: integer(1, 64),
    fallback: 4,
    description:
      'Batches that a node writes at one time, at most: a second one starts when one is full or the first is slow.',
  }),
  writerLinger: setting({
    type: duration(0, 1_000),
    fallback: 3,
    description: 'How long a writer collects before it writes.',
  }),
  writerBatchSize: setting({
    type: integer(1, 5_000),
    fallback: 500,
    description: 'Transactions in one write, at most.',
  }),
  intakeQueueLimit: setting({
    type: integer(1, 1_000_000),
    fallback: 5_000,
    description: 'Requests that may wait to be stored; more are answered with 429.',
  }),
  intakeLinger: setting({
    type: duration(0, 1_000),
    fallback: 3,
    description: 'How long accepted requests are collected before they are stored together.',
  }),
  intakeBatchSize: setting({
    type: integer(1, 5_000),
    fallback: 500,
    description: 'Requests stored together, at most.',
  }),
  webhookAllowPrivate: setting({
    type: boolean,
    fallback: false,
    description:
      'Whether webhooks may point to private addresses and to plain http. Whoever may make a webhook can then make this service call what is in its own network.',
  }),
  maxWebhooks: setting({
    type: integer(1, 10_000),
    fallback: 100,
    description: 'Webhooks that there may be.',
  }),
  webhookTimeout: setting({
    type: duration(100, MINUTE),
    fallback: 15_000,
    description: 'How long a receiver may take to answer.',
  }),
  webhookParallel: setting({
    type: integer(1, 100),
    fallback: 16,
    description: 'Deliveries to one webhook that may be under way at one time, each of another transaction.',
  }),
  webhookRetryInterval: setting({
    type: duration(100, DAY),
    fallback: 2_000,
    description: 'The pause before the second attempt at a delivery; it doubles with each further one.',
  }),
  webhookRetryMaxInterval: setting({
    type: duration(100, DAY),
    fallback: 60 * MINUTE,
    description: 'The longest pause between two attempts at a delivery.',
  }),
  webhookRetryFor: setting({
    type: duration(1_000, 30 * DAY),
    fallback: 3 * DAY,
    description: 'A delivery that still fails this long after its first attempt is given up; it can be ordered again.',
  }),
  webhookDisableAfter: setting({
    type: duration(1_000, 90 * DAY),
    fallback: 5 * DAY,
    description: 'A webhook that nothing could be delivered to for this long is switched off.',
  }),
  webhookSecretOverlap: setting({
    type: duration(0, 30 * DAY),
    fallback: DAY,
    description: 'How long the old secret of a webhook signs beside a new one.',
  }),
  webhookRetention: setting({
    type: duration(1_000, 365 * DAY),
    fallback: 14 * DAY,
    description: 'How long deliveries are kept in the log after they were delivered or given up.',
  }),
  maxEventStreams: setting({
    type: integer(1, 100_000),
    fallback: 1_000,
    description: 'Clients that may follow the event stream at this node at one time; more are answered with 503.',
  }),
  eventHeartbeat: setting({
    type: duration(100, 10 * MINUTE),
    fallback: 15_000,
    description:
      'How often a quiet event stream shows that it is alive; within this time a key that was revoked loses its streams.',
  }),
  eventStallTimeout: setting({
    type: duration(100, 10 * MINUTE),
    fallback: 30_000,
    description: 'A client that takes nothing from its event stream for this long is let go; it can resume.',
  }),
  simulationTimeout: setting({
    type: duration(10, MINUTE),
    fallback: 1_000,
    description:
      'How long a request waits for its simulation. After that it is accepted with `simulated: false`, and tried out before it takes a nonce.',
  }),
  rpcHoldTimeout: setting({
    type: duration(100, 10 * MINUTE),
    fallback: 8_000,
    description:
      'How long `eth_sendTransaction` waits for its hash before it answers with the id of the transaction, which goes on. Shorter than the time-out of the clients, or they never see that answer; viem gives up after 10s.',
  }),
  rpcAllowedMethods: setting<readonly string[]>({
    type: methodList,
    fallback: [],
    description:
      'JSON-RPC methods to pass on to the nodes besides the usual reads, such as `debug_traceTransaction`; whoever may read can call them.',
  }),
  rpcMaxSockets: setting({
    type: integer(1, 100_000),
    fallback: 1_000,
    description: 'WebSocket connections to the JSON-RPC endpoint at one time; more are refused.',
  }),
  logLevel: setting<LogLevel>({
    type: oneOf(LOG_LEVELS),
    fallback: 'info',
    description: 'The least important lines to log.',
  }),
  shutdownTimeout: setting({
    type: duration(100, 10 * MINUTE),
    fallback: 10_000,
    description: 'How long an orderly stop may take; after it the process ends as it is, and peers take over by lease.',
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
