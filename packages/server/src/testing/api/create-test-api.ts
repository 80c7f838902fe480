/** The whole API over the in-memory store and a fake chain, for the tests in this folder. */
import type { FastifyInstance } from 'fastify'
import { createAccess } from '../../api/access/access.ts'
import { createApiKeys } from '../../api/access/api-keys.ts'
import type { ApiServices, ChainStatus } from '../../api/api-services.ts'
import { createWebhooks } from '../../api/lookup/webhooks.ts'
import { createBodyPool } from '../../api/server/body-pool.ts'
import { createHttpServer } from '../../api/server/http-server.ts'
import { createPieces } from '../../api/server/pieces.ts'
import { createReadiness } from '../../api/server/readiness.ts'
import { createConfirmationFeed } from '../../api/stream/confirmation-feed.ts'
import { createEventStreams } from '../../api/stream/event-streams.ts'
import type { ChainHealth } from '../../core/chain/chain-health.ts'
import type { ChainView, Header } from '../../core/chain/finality.ts'
import { DEFAULT_MAX_TX_FEE_WEI } from '../../core/fees/fee-cap.ts'
import type { Hash } from '../../core/hex.ts'
import type { Lane } from '../../core/lane/lane.ts'
import { FAST } from '../../core/lane/policy.ts'
import type { Allocated, Attempt, Queued, Transaction } from '../../core/transaction/transaction.ts'
import { createAccept } from '../../engine/accept/accept.ts'
import { createAcceptBatch } from '../../engine/accept/accept-batch.ts'
import { createIntake, type IntakeLimits } from '../../engine/accept/intake.ts'
import { createKnownSigners } from '../../engine/accept/known-signers.ts'
import { createFeeMarkets } from '../../engine/fees/fee-markets.ts'
import { createFillGaps } from '../../engine/gaps/fill-gaps.ts'
import { createOperate } from '../../engine/operate/operate.ts'
import { createResetNonce } from '../../engine/operate/reset-nonce.ts'
import { createListReservations } from '../../engine/reservations/list-reservations.ts'
import { createReleaseKey } from '../../engine/reservations/release-key.ts'
import { createReservations } from '../../engine/reservations/reserve.ts'
import { createTakeBackNonces } from '../../engine/reservations/take-back-nonces.ts'
import { createDecideApproval } from '../../engine/rules/decide-approval.ts'
import { createManageRules } from '../../engine/rules/manage-rules.ts'
import { createSpendingRules } from '../../engine/rules/spending-rules.ts'
import { createReadTurns } from '../../engine/tenants/read-turns.ts'
import { createUnreadBytes } from '../../engine/tenants/unread-bytes.ts'
import type { WorkTurns } from '../../engine/tenants/work-turns.ts'
import { createTimers } from '../../engine/timers/timers.ts'
import { createNodeTail } from '../../engine/wait/event-tail.ts'
import { createTransactionWaits } from '../../engine/wait/transaction-waits.ts'
import type { AccessStore } from '../../ports/access-store.ts'
import type { Clock } from '../../ports/clock.ts'
import type { KeyState } from '../../ports/key-source.ts'
import type { Store } from '../../ports/store.ts'
import { createFakeChain, type FakeChain } from '../chain/fake-chain.ts'
import { createMemoryAccessStore } from '../store/memory-access-store.ts'
import { createMemoryStore } from '../store/memory-store.ts'
import { createMemoryWebhookStore } from '../store/memory-webhook-store.ts'
import { createMemoryTimerStore, type MemoryTimerStore } from '../store/timers/memory-timer-store.ts'
import { createRecordingTelemetry, type RecordingTelemetry } from '../telemetry/recording-telemetry.ts'

/** Nobody waits: a share of time means nothing to a clock that stands still. */
export const NO_TURNS: WorkTurns = {
  begin: async (_tenant, { gone }) => (gone.aborted ? null : () => undefined),
  spend: () => undefined,
  spendWhenDue: () => null,
  isCrowded: () => false,
  shareOf: () => 1,
  untilRefusal: async () => true,
}

export const CHAIN_ID = 31_337
export const SIGNER = '0x52908400098527886e0f7030069857d2e4169ee7'
export const SIGNER_CHECKSUMMED = '0x52908400098527886E0F7030069857D2E4169EE7'
export const TARGET = '0x8617e340b3d01fa5f11f306f4090fd50e238070d'
/** Its key is held, but it is not registered. */
export const SPARE = `0x${'77'.repeat(20)}` as const
export const STRANGER = `0x${'99'.repeat(20)}` as const
export const NOW = Date.UTC(2026, 0, 2, 3, 4, 5)
export const LANE: Lane = { chainId: CHAIN_ID, signer: SIGNER }
/** Data that makes a call revert on the fake chain. */
export const REVERTING_DATA = '0xdeadbeef'

export interface TestApi {
  readonly server: FastifyInstance
  readonly store: Store
  readonly chain: FakeChain
  readonly telemetry: RecordingTelemetry
  readonly keys: AccessStore
  readonly timers: MemoryTimerStore
  /** Lets time pass, for what looks at how old something is. */
  elapse(ms: number): void
}

export interface TestApiOptions {
  readonly limits?: Partial<IntakeLimits>
  readonly schemaVersion?: number
  readonly maxWaiting?: number
  readonly chainStatus?: Partial<ChainStatus>
  /** Parts of the store that behave otherwise. */
  readonly store?: Partial<Store>
  readonly services?: Partial<ApiServices>
  /** The chain's cap on the fee of one transaction; null: none. */
  readonly maxTxFeeWei?: bigint | null
}

export async function createTestApi(options: TestApiOptions = {}): Promise<TestApi> {
  const elapsed = { ms: 0 }
  const clock = createTestClock(() => elapsed.ms)
  const telemetry = createRecordingTelemetry()
  const store = { ...createMemoryStore({ clock }), ...options.store }
  const chain = createFakeChain({
    chainId: CHAIN_ID,
    balances: { [SIGNER]: 10n ** 18n },
    behave: ({ data }) =>
      data === REVERTING_DATA
        ? { type: 'reverted', reason: 'Paused', data: null, gas: 1n }
        : { type: 'ok', gas: 21_000n },
  })
  await store.registerSigners([{ lane: LANE, policy: FAST, label: 'treasury' }])
  const signers = createKnownSigners({ store, clock, telemetry })
  let ids = 0
  const nextId = () => {
    ids += 1
    return `01890a5d-ac96-774b-bcce-${ids.toString().padStart(12, '0')}`
  }
  const random = { fraction: () => 0, id: nextId }
  const keyListeners = new Set<Parameters<Store['listen']>[0]>()
  const keys = createMemoryAccessStore({
    clock,
    onRevoked: () => {
      for (const listener of keyListeners) listener({ type: 'keys.changed' })
    },
  })
  const notices: Pick<Store, 'listen'> = {
    listen: (listener) => {
      keyListeners.add(listener)
      return () => void keyListeners.delete(listener)
    },
  }
  const access = createAccess({ store: keys, notices, clock, telemetry, nodeId: 'node-a' })
  const rules = createSpendingRules({
    store,
    clock,
    telemetry,
    record: ({ keyId, actor, ...note }) => void access.recordRefusal({ keyId, name: actor }, note),
  })
  const intake = createIntake({ store: rules, clock, telemetry, ...(options.limits && { limits: options.limits }) })
  const chains = new Map([[CHAIN_ID, chain]])
  const chainStatus = () => [{ ...FOLLOWED, ...options.chainStatus }]
  const { schemaVersion } = await createMemoryStore({ clock }).ping()
  const around = {
    viewOf: options.services?.viewOf ?? (() => createTestView({ from: 90, head: 110 })),
    finalityOf: () => ({ type: 'confirmations', count: 12 }) as const,
    policyOf: (lane: Lane) => signers.peek(lane)?.policy ?? null,
  }
  const { maxTxFeeWei = DEFAULT_MAX_TX_FEE_WEI } = options
  const maxTxFeeOf = () => maxTxFeeWei
  const accept = createAccept({
    store,
    signers,
    chains,
    intake,
    clock,
    random,
    telemetry,
    headOf: () => chain.head(),
    simulationTimeoutMs: 5_000,
    maxTxFeeOf,
    rules: rules.book,
  })
  const timerStore = createMemoryTimerStore({ clock, transactions: store })
  const reads = createReadTurns()
  const pieces = createPieces()
  const tail = createNodeTail({ store, clock, telemetry })
  const server = createHttpServer({
    nodeId: 'node-a',
    access,
    apiKeys: createApiKeys({
      store: keys,
      clock: { now: clock.now, schedule: runSoon },
      withoutKey: false,
      releaseReservations: createReleaseKey(store),
    }),
    audit: keys,
    accept,
    acceptBatch: createAcceptBatch({ accept, intake, rest: pieces.rest }),
    pieces,
    store,
    chainStatus,
    telemetry,
    dashboardDir: null,
    webhooks: createWebhooks({
      clock,
      random,
      maxWebhooks: 3,
      secretOverlapMs: 86_400_000,
      store: createMemoryWebhookStore({ clock, events: store, newId: nextId }),
      findTargetProblem: async ({ hostname }) => (hostname === 'private.example' ? 'is not public' : null),
    }),
    timers: createTimers({
      store: timerStore,
      notices: timerStore,
      signers,
      clock,
      random,
      viewOf: around.viewOf,
      chains: new Map([[CHAIN_ID, { chain, blockTimeMs: 12_000 }]]),
      maxPerTenant: 3,
      maxPerSigner: 3,
      timeoutMs: 50,
    }),
    eventStreams: createEventStreams({
      store,
      tail,
      clock,
      telemetry,
      work: NO_TURNS,
      pieces,
      reads,
      isAllowed: access.isAllowed,
      limits: { maxStreams: 3, heartbeatMs: 15_000, stallMs: 30_000 },
      confirmations: createConfirmationFeed({
        store,
        telemetry,
        onChain: () => () => {},
        chainIds: () => [CHAIN_ID],
        ...around,
      }),
    }),
    waits: createTransactionWaits({
      store,
      tail,
      clock,
      telemetry,
      ...(options.maxWaiting && { maxWaiting: options.maxWaiting }),
    }),
    bodies: createBodyPool({ maxBytes: 64 * 1024 * 1024 }),
    unread: createUnreadBytes({ maxBytes: 64 * 1024 * 1024 }),
    stallMs: 30_000,
    work: NO_TURNS,
    reads,
    feeMarkets: createFeeMarkets({ chains, clock }),
    maxTxFeeOf,
    fillGaps: createFillGaps({ store, clock, random }),
    applySigners: signers.refresh,
    ownKeys: {
      addresses: () => [SIGNER, SPARE],
      defaultPolicy: () => FAST,
      find: (address) => ([SIGNER, SPARE].includes(address) ? KEY : null),
      check: async () => ({ type: 'verified', tookMs: 1 }),
      create: async () => null,
      remove: (address, note) => store.removeSigner(address, note),
    },
    operate: createOperate({ store, chains, clock, telemetry, ...around }),
    decideApproval: createDecideApproval({ keys, store, clock, telemetry }),
    rules: createManageRules({ store, ...rules }),
    reservations: {
      ...createReservations({ store, chains, clock, random, timeoutMs: 50 }),
      list: createListReservations(store),
    },
    takeBack: createTakeBackNonces({ store, chains }),
    resets: createResetNonce({ store, clock, random, timeoutMs: 50 }),
    clock,
    ...around,
    renderMetrics: async () => ({ contentType: 'text/plain; version=0.0.4; charset=utf-8', body: 'drover_up 1\n' }),
    listNodes: () => store.listNodes(),
    silentNodes: () => [],
    baseFeeOf: async () => null,
    sendEndpointsOf: () => null,
    onChain: () => () => {},
    readLogs: (_, hash) => chain.findLogs(hash),
    readRevert: async () => null,
    countOf: async () => null,
    healthOf: () => WELL,
    readiness: createReadiness({
      store,
      clock,
      chainStatus,
      silentNodes: () => [],
      schemaVersion: options.schemaVersion ?? schemaVersion,
    }),
    ...options.services,
  })
  const elapse = (ms: number): void => {
    elapsed.ms += ms
  }
  return { server, store, chain, telemetry, keys, timers: timerStore, elapse }
}

const KEY: KeyState = { source: 'keystore', place: '/keys', problem: null }
const WELL: ChainHealth = { state: 'ok', since: null, message: null }
const FOLLOWED: ChainStatus = {
  chainId: CHAIN_ID,
  head: headerAt(110),
  safe: 100,
  finalized: 90,
  finality: { type: 'safe' },
  following: true,
  lastError: null,
  health: WELL,
  endpoints: [],
}

export function blockHash(number: number): Hash {
  return `0x${number.toString(16).padStart(64, 'b')}`
}

/** Block 110 is of this moment; there is one a second. */
function headerAt(number: number): Header {
  return { number, hash: blockHash(number), parentHash: blockHash(number - 1), timestamp: NOW / 1_000 + number - 110 }
}

interface TestView {
  readonly from: number
  readonly head: number
  readonly safe?: number
  readonly finalized?: number
}

/** A window of headers. */
export function createTestView({ from, head, safe, finalized }: TestView): ChainView {
  const header = (number: number) => (number >= from && number <= head ? headerAt(number) : null)
  return { head: headerAt(head), safe: safe ?? null, finalized: finalized ?? null, header }
}

/** Time stands still; what is scheduled for a moment runs after the current turn, what is a time-out never does. */
function createTestClock(monotonic: () => number): Clock {
  return {
    now: () => NOW,
    monotonic,
    schedule: (delayMs, run) => (delayMs > 100 ? () => {} : runSoon(delayMs, run)),
  }
}

function runSoon(_delayMs: number, run: () => void): () => void {
  const timer = setImmediate(run)
  return () => clearImmediate(timer)
}

/** Gives a queued transaction the lane's first nonce and signed bytes, as its owner would. */
export async function allocate(store: Store, id: string, hash: Attempt['hash']): Promise<Transaction> {
  const queued = await store.findTransaction(id)
  const [lease] = await store.acquireLeases('node-a', [LANE], 15_000)
  if (queued === null || queued.state !== 'QUEUED' || lease === undefined) throw new Error('cannot be allocated')
  const tx = sign(queued, hash, lease.fence)
  const note = { type: 'nonce.allocated', cause: null, detail: { nonce: 0, feeWei: 5n } }
  const before = { version: queued.version, state: queued.state, attemptCount: 0 }
  const [written] = await store.writeLanes([
    {
      lease,
      cursor: { expected: null, next: 1 },
      saves: [{ before, tx, notes: [note] }],
      nonces: [{ nonce: 0, status: 'USED', txId: id }],
      notes: [],
      reservations: [],
      reset: null,
      balance: null,
    },
  ])
  if (written?.type !== 'written') throw new Error(`not written: ${JSON.stringify(written)}`)
  return tx
}

function sign(queued: Queued, hash: Attempt['hash'], fence: number): Allocated {
  const { retryAt: _retryAt, prepareFailures: _failures, ...base } = queued
  const fees = { type: 'eip1559', maxFeePerGas: 2n, maxPriorityFeePerGas: 1n } as const
  return {
    ...base,
    state: 'ALLOCATED',
    subState: 'signed',
    nonce: 0,
    fence,
    nodeId: 'node-a',
    allocatedAt: NOW,
    waitingSince: NOW,
    submittedAt: null,
    lastSubmitAt: null,
    nextResubmitAt: NOW,
    submitCount: 0,
    refusals: 0,
    newForks: 0,
    requestedReplacement: 'none',
    mayBeHeld: true,
    refusal: null,
    attempts: [{ hash, raw: '0x02ab', kind: 'original', nonce: 0, gasLimit: 21_000n, fees, createdAt: NOW }],
  }
}
