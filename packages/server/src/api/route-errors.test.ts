/** Each error that an operation says it can answer with, brought about: a code that nothing leads to would be a lie. */
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { APP_ERRORS, type AppErrorCode } from '../core/app-error.ts'
import { NO_RULES } from '../core/rules/rule-set.ts'
import type { Webhook } from '../core/webhook/webhook.ts'
import { createResetNonce } from '../engine/operate/reset-nonce.ts'
import { createNodeTail } from '../engine/wait/event-tail.ts'
import { createTransactionWaits } from '../engine/wait/transaction-waits.ts'
import { ChainUnavailable } from '../ports/chain.ts'
import type { HolderOutcome } from '../ports/lane-requests.ts'
import type { TimerLease } from '../ports/timer-store.ts'
import {
  allocate,
  CHAIN_ID,
  createTestApi,
  LANE,
  NOW,
  REVERTING_DATA,
  SIGNER,
  SPARE,
  STRANGER,
  TARGET,
  type TestApi,
  type TestApiOptions,
} from '../testing/api/create-test-api.ts'
import { inclusionIn } from '../testing/core/sample-transactions.ts'
import { createMemoryStore } from '../testing/store/memory-store.ts'
import { createMemoryWebhookStore } from '../testing/store/memory-webhook-store.ts'
import { acceptCommand, anySpec, startTimer } from '../testing/store/sample-timers.ts'
import { createRecordingTelemetry } from '../testing/telemetry/recording-telemetry.ts'
import { createKeyToken } from './access/key-token.ts'
import { ERROR_ADVICE } from './contract/resources/error-advice.ts'
import { STATUS_OF } from './contract/values/problem.ts'
import { createWebhooks } from './lookup/webhooks.ts'
import { buildOpenApi } from './openapi/build-open-api.ts'
import { sampleBody } from './openapi/sample-request.ts'
import type { Route } from './route.ts'
import { ROUTES } from './routes.ts'
import { listen } from './server/listen.ts'

interface Answer {
  readonly status: number
  readonly code: string
}

type Scene = (route: Route) => Promise<Answer>

const HASH = `0x${'ab'.repeat(32)}` as const
const NOBODY: Readonly<Record<string, string>> = {
  address: STRANGER,
  chainId: '5',
  id: '01890a5d-ac96-774b-bcce-b302099a8057',
  deliveryId: '01890a5d-ac96-774b-bcce-b302099a8057',
}
const { components, paths } = JSON.parse(JSON.stringify(buildOpenApi(ROUTES)))

function bodyOf(route: Route): object | undefined {
  const schema = paths[route.path][route.method.toLowerCase()].requestBody?.content['application/json'].schema
  return schema === undefined ? undefined : (sampleBody(schema, components.schemas) as object)
}

async function call({ server }: TestApi, route: Route, params: object = {}, body: object = {}): Promise<Answer> {
  const given: Readonly<Record<string, string>> = { ...NOBODY, ...params }
  const url = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => given[name] ?? '')
  const sample = bodyOf(route)
  const payload = sample === undefined ? {} : { payload: { ...sample, ...body } }
  const reply = await server.inject({ method: route.method, url, ...payload })
  return { status: reply.statusCode, code: reply.json().code }
}

const SEND = { from: SIGNER, to: TARGET, chainId: CHAIN_ID, value: '1', requestId: 'one' }

async function send({ server }: TestApi): Promise<string> {
  return (await server.inject({ method: 'POST', url: '/v1/transactions', payload: SEND })).json().id
}

/** Called once more than it may be, or otherwise than before. */
const create =
  (body: object, options: TestApiOptions = {}): Scene =>
  async (route) => {
    const api = await createTestApi(options)
    await send(api)
    return call(api, route, {}, { ...SEND, ...body })
  }

/** There is nothing left to be done to it. */
const onCancelled: Scene = async (route) => {
  const api = await createTestApi()
  const id = await send(api)
  const cancelled = await api.server.inject({
    method: 'POST',
    url: `/v1/transactions/${id}/cancel`,
    payload: { reason: 'done' },
  })
  expect(cancelled.json().state).toBe('CANCELLED')
  return call(api, route, { id })
}

async function lend(api: TestApi): Promise<string> {
  const payload = { ttlMs: 60_000, lockOwner: 'mine' }
  const reply = await api.server.inject({ method: 'POST', url: `/v1/signers/${SIGNER}/nonces`, payload })
  return reply.json().items[0].id
}

const onReservation =
  (type: HolderOutcome['type']): Scene =>
  async (route) => {
    const api = await createTestApi()
    const id = await lend(api)
    if (type === 'not_owner') return call(api, route, { id }, { lockOwner: 'somebody else' })
    // Time stands still here, so the store says what it would once the lock has run out.
    const [reservation] = await api.store.findReservations([id])
    if (!reservation) throw new Error('not reserved')
    Object.assign(api.store, { actOnReservation: async () => ({ type, reservation }) })
    return call(api, route, { id }, { lockOwner: 'mine' })
  }

/** The owner says no while the caller waits. */
const onRefusedReset: Scene = async (route) => {
  const clock = { now: () => NOW, monotonic: () => 0, schedule: () => () => {} }
  let store: TestApi['store'] | null = null
  const api = await createTestApi({
    services: {
      resets: {
        find: async () => null,
        reset: (lane, by) => {
          if (store === null) throw new Error('no store')
          const random = { id: () => '01890a5d-ac96-774b-bcce-000000009999' }
          return createResetNonce({ store, clock, random }).reset(lane, by)
        },
      },
    },
  })
  store = api.store
  const answer = call(api, route, { address: SIGNER })
  for (;;) {
    const [asked] = await api.store.listResets(LANE, 1)
    if (asked === undefined) {
      await new Promise((resolve) => setImmediate(resolve))
      continue
    }
    const [lease] = await api.store.acquireLeases('node-a', [LANE], 60_000)
    if (lease === undefined) throw new Error('no lease')
    const reset = { id: asked.id, state: 'REFUSED', refusal: 'something is alive' } as const
    const note = { type: 'cursor.reset_refused', cause: null, detail: {} }
    const nothing = { cursor: null, saves: [], nonces: [], reservations: [], balance: null }
    await api.store.writeLanes([{ ...nothing, lease, notes: [note], reset }])
    return answer
  }
}

const onStuckWithoutChain: Scene = async (route) => {
  const api = await createTestApi({ services: { viewOf: () => null } })
  const id = await send(api)
  const tx = await allocate(api.store, id, HASH)
  if (tx.state !== 'ALLOCATED') throw new Error('not allocated')
  const before = { version: tx.version + 1, state: tx.state, attemptCount: 1 }
  const stuck = { ...tx, state: 'STUCK', subState: 'foreign_nonce', stuckAt: NOW } as const
  await api.store.amend({ before, tx: stuck, notes: [] }, [])
  return call(api, route, { id })
}

/** The holder named a transaction, and no node answers whether it is known. */
const onPhantomWithoutChain: Scene = async (route) => {
  const api = await createTestApi()
  const [reservation] = await api.store.findReservations([await lend(api)])
  if (!reservation) throw new Error('not reserved')
  const used = { ...reservation, state: 'USED', nonce: 0, hashes: [HASH], isExpired: false } as const
  Object.assign(api.store, { readLaneRequests: async () => ({ reservations: [used], resets: [] }) })
  api.chain.setFault(() => 'unavailable')
  return call(api, route, { address: SIGNER })
}

/** In a block, as was stored; the node has no receipt for it. */
const onReceiptNowhere: Scene = async (route) => {
  const api = await createTestApi()
  const id = await send(api)
  const tx = await allocate(api.store, id, HASH)
  if (tx.state !== 'ALLOCATED') throw new Error('not allocated')
  const before = { version: tx.version + 1, state: tx.state, attemptCount: 1 }
  const inclusion = inclusionIn(100, { txHash: HASH })
  const mined = { ...tx, state: 'TRACKING', subState: 'mined', inclusion, minedAt: NOW } as const
  await api.store.amend({ before, tx: mined, notes: [] }, [])
  const reply = await api.server.inject(`${route.path.replace('{id}', id)}?include=logs`)
  return { status: reply.statusCode, code: reply.json().code }
}

const onLastAdmin: Scene = async (route) => {
  const api = await createTestApi()
  const { token, ...made } = createKeyToken()
  const rest = { signers: null, chains: null, rate: null, maxTxFeeWei: null, expiresAt: null, createdBy: 'tests' }
  const { id } = await api.keys.insertKey({ ...made, ...rest, name: 'only', tenant: 'only', scopes: ['admin'] })
  const headers = { authorization: `Bearer ${token}` }
  const reply = await api.server.inject({ method: route.method, url: `/v1/api-keys/${id}`, headers })
  return { status: reply.statusCode, code: reply.json().code }
}

/** One more than this node serves. */
const onManyStreams: Scene = async (route) => {
  const { server } = await createTestApi()
  const url = await listen(server, { host: '127.0.0.1', port: 0 })
  const open = () => fetch(`${url}${route.path.replace('{chainId}', String(CHAIN_ID))}`)
  const streams = [await open(), await open(), await open()]
  const refused = await open()
  const { code } = (await refused.json()) as { code: string }
  for (const stream of streams) await stream.body?.cancel()
  await server.close()
  return { status: refused.status, code }
}

const SWITCHED_OFF: Webhook = {
  id: NOBODY.id ?? '',
  url: 'https://example.com/',
  description: null,
  failingSince: null,
  plannedTo: 0,
  filter: { types: null, chainId: null, signer: null, completions: false },
  previousSecretUntil: null,
  createdAt: NOW,
  createdBy: 'local',
  disabled: { reason: 'operator', at: NOW },
}

/** An earlier one of the same transaction goes first; or the webhook is switched off. */
const onWebhookThatCannot: Scene = async (route) => {
  const clock = { now: () => NOW }
  const random = { id: () => NOBODY.id ?? '', fraction: () => 0 }
  const events = createMemoryStore({ clock })
  const memory = createMemoryWebhookStore({ clock, events, newId: random.id })
  const webhooks = createWebhooks({
    clock,
    random,
    maxWebhooks: 3,
    secretOverlapMs: 1,
    findTargetProblem: async () => null,
    store: {
      ...memory,
      redeliver: async () => ({ type: 'waiting' }),
      findWebhook: async () => SWITCHED_OFF,
    },
  })
  return call(await createTestApi({ services: { webhooks } }), route)
}

const withOptions =
  (options: TestApiOptions, params: object = {}, body: object = {}): Scene =>
  async (route) =>
    call(await createTestApi(options), route, params, body)

const withStore =
  (store: TestApiOptions['store'], params: object): Scene =>
  (route) =>
    withOptions(store === undefined ? {} : { store }, params)(route)

const onFullHouse: Scene = async (route) => {
  const enter = createTransactionWaitsThatAreFull()
  const api = await createTestApi({ services: { waits: { enter, close: async () => {} } } })
  const id = await send(api)
  const url = `${route.path.replace('{id}', id)}?wait=mined`
  const payload = bodyOf(route) === undefined ? {} : { payload: SEND }
  const reply = await api.server.inject({ method: route.method, url, ...payload })
  return { status: reply.statusCode, code: reply.json().code }
}

function createTransactionWaitsThatAreFull() {
  const clock = { schedule: () => () => {} }
  const telemetry = createRecordingTelemetry()
  const store = createMemoryStore({ clock: { now: () => NOW } })
  return createTransactionWaits({
    store,
    tail: createNodeTail({ store, clock, telemetry }),
    clock,
    telemetry,
    maxWaiting: 0,
  }).enter
}

async function leaseTimers({ timers }: TestApi): Promise<TimerLease> {
  const [lease] = await timers.keepTimerLeases('node-a', [CHAIN_ID], 60_000)
  if (lease === undefined) throw new Error('no lease')
  return lease
}

const TIMER = { chainId: CHAIN_ID, from: SIGNER, to: TARGET }

/** On a timer that is cancelled already; or, where there is one, that nobody runs. */
const onTimer =
  (state: 'CANCELLED' | 'ACTIVE' | 'PAUSED'): Scene =>
  async (route) => {
    const api = await createTestApi()
    const lease = await leaseTimers(api)
    const { id, kernelId, spec } = await startTimer(api.timers, lease, anySpec(LANE))
    const type = state === 'PAUSED' ? 'pause' : 'cancel'
    if (state !== 'ACTIVE') await acceptCommand(api.timers, lease, { type, timerId: id, kernelId, spec })
    return call(api, route, { id })
  }

/** The owner answers what it is asked, with a refusal of the kernel. */
const onFullTimers: Scene = async (route) => {
  const api = await createTestApi()
  const lease = await leaseTimers(api)
  const { id, kernelId, spec } = await startTimer(api.timers, lease, anySpec(LANE))
  await acceptCommand(api.timers, lease, { type: 'pause', timerId: id, kernelId, spec })
  const answer = call(api, route, { id })
  for (;;) {
    const [asked] = await api.timers.readPendingCommands(CHAIN_ID, 1)
    if (asked === undefined) {
      await new Promise((resolve) => setImmediate(resolve))
      continue
    }
    const refused = { type: 'refused', code: 'ERR_QUOTA_EXCEEDED', message: 'too many' } as const
    const expected = await api.timers.readTip(CHAIN_ID)
    const { lastSeq } = await api.timers.loadTimers(CHAIN_ID)
    if (expected === null) throw new Error('no block')
    const results = [{ id: asked.id, answer: refused, logged: null, started: null }]
    await api.timers.writeCommands({ lease, expected, expectedSeq: lastSeq, results, changes: [], queue: null })
    return answer
  }
}

const inQuery =
  (query: string): Scene =>
  async (route) => {
    const api = await createTestApi()
    const payload = bodyOf(route) === undefined ? {} : { payload: bodyOf(route) ?? {} }
    const reply = await api.server.inject({ method: route.method, url: `${route.path}${query}`, ...payload })
    return { status: reply.statusCode, code: reply.json().code }
  }

const unavailable = () => Promise.reject(new ChainUnavailable('away'))

const BY_CODE: Readonly<Record<string, Scene>> = {
  not_found: async (route) => {
    const params = route.path.includes('api-keys') ? { id: '0123456789abcdef' } : {}
    return call(await createTestApi(), route, params)
  },
  not_lock_owner: onReservation('not_owner'),
  reservation_expired: onReservation('expired'),
  too_many_waiting: onFullHouse,
  too_many_streams: onManyStreams,
}

const SCENES: Readonly<Record<string, Scene>> = {
  'createTransaction idempotency_conflict': create({ value: '2' }),
  'createTransaction transaction_deleted': async (route) => {
    const api = await createTestApi()
    const body = { ...SEND, requestId: 'one' }
    const { id } = (await api.server.inject({ method: 'POST', url: '/v1/transactions', payload: body })).json()
    await api.server.inject({ method: 'POST', url: `/v1/transactions/${id}/cancel`, payload: { reason: 'x' } })
    await api.store.retireTransactions({ finalForMs: -1, after: 0, limit: 10 })
    await api.store.deleteRetired(0, 10)
    return call(api, route, {}, body)
  },
  'createTransaction unknown_signer': create({ from: STRANGER }),
  'createTransaction unknown_chain': create({ chainId: 5 }),
  'createTransaction transaction_rejected': create({ requestId: 'two', data: REVERTING_DATA }),
  'createTransaction refused_by_rule': async (route) => {
    const api = await createTestApi()
    await api.store.putRules(`signer:${SIGNER}`, { ...NO_RULES, targets: [] }, 'ann')
    return call(api, route, {}, SEND)
  },
  'createTransaction queue_full': withOptions({ limits: { maxWaiting: 0 } }, {}, SEND),
  'registerSigner unknown_chain': withOptions({}, {}, { chainId: 5, address: SPARE }),
  'registerSigner unknown_signer': withOptions({}, {}, { chainId: CHAIN_ID, address: STRANGER }),
  'registerSigner signer_exists': withOptions({}, {}, { chainId: CHAIN_ID, address: SIGNER }),
  'registerSigner no_master_key': withOptions({}, {}, { chainId: CHAIN_ID, address: undefined, createKey: true }),
  'removeSigner signer_busy': async (route) => {
    const api = await createTestApi()
    await send(api)
    return call(api, route, { address: SIGNER })
  },
  'resolveTransaction chain_unavailable': onStuckWithoutChain,
  'requeueTransaction chain_unavailable': onStuckWithoutChain,
  'closeTransaction chain_unavailable': onStuckWithoutChain,
  'resetNonce action_forbidden': onRefusedReset,
  'fillGap action_forbidden': withOptions({}, { address: SIGNER }),
  'reserveNonces unknown_signer': withStore(
    { insertReservations: async () => ({ type: 'unknown_signer' }) },
    { address: SIGNER },
  ),
  'reserveNonces tenant_limit': withStore(
    { insertReservations: async () => ({ type: 'too_many' }) },
    { address: SIGNER },
  ),
  'releaseReservations chain_unavailable': onPhantomWithoutChain,
  'fillReservations chain_unavailable': onPhantomWithoutChain,
  'reserveNonces idempotency_conflict': async (route) => {
    const api = await createTestApi()
    await call(api, route, { address: SIGNER }, { requestId: 'one', count: 1 })
    return call(api, route, { address: SIGNER }, { requestId: 'one', count: 2 })
  },
  'useNonce action_forbidden': onReservation('refused'),
  'extendNonce action_forbidden': onReservation('refused'),
  'releaseNonce action_forbidden': onReservation('refused'),
  'showReceipt chain_unavailable': onReceiptNowhere,
  'listBlocks chain_unavailable': withOptions({ services: { viewOf: () => null } }, { chainId: String(CHAIN_ID) }),
  'showFees chain_unavailable': withOptions(
    { services: { feeMarkets: { read: unavailable } } },
    { chainId: String(CHAIN_ID) },
  ),
  'revokeApiKey action_forbidden': onLastAdmin,
  'createWebhook webhook_limit': async (route) => {
    const api = await createTestApi()
    for (let index = 0; index < 3; index++) await call(api, route)
    return call(api, route)
  },
  'createTimer idempotency_conflict': async (route) => {
    const api = await createTestApi()
    await startTimer(api.timers, await leaseTimers(api), anySpec(LANE), { requestId: 'one' })
    return call(api, route, {}, { ...TIMER, requestId: 'one' })
  },
  'createTimer unknown_signer': withOptions({}, {}, { ...TIMER, from: STRANGER }),
  'createTimer unknown_chain': withOptions({}, {}, { ...TIMER, chainId: 5 }),
  'createTimer timer_limit': async (route) => {
    const api = await createTestApi()
    const lease = await leaseTimers(api)
    for (let index = 0; index < 3; index++) await startTimer(api.timers, lease, anySpec(LANE))
    return call(api, route, {}, TIMER)
  },
  'createTimer timers_unavailable': withOptions({}, {}, TIMER),
  'showTimerQueue unknown_chain': inQuery('?chainId=5'),
  'showTimerQueue timers_unavailable': onTimer('ACTIVE'),
  'changeTimerParams unknown_chain': inQuery('?chainId=5'),
  'changeTimerParams timers_unavailable': inQuery(''),
  'updateTimer action_forbidden': onTimer('CANCELLED'),
  'cancelTimer action_forbidden': onTimer('CANCELLED'),
  'pauseTimer action_forbidden': onTimer('CANCELLED'),
  'resumeTimer action_forbidden': onTimer('CANCELLED'),
  'updateTimer timers_unavailable': onTimer('ACTIVE'),
  'cancelTimer timers_unavailable': onTimer('ACTIVE'),
  'pauseTimer timers_unavailable': onTimer('ACTIVE'),
  'resumeTimer timers_unavailable': onTimer('PAUSED'),
  'resumeTimer timer_limit': onFullTimers,
  'redeliver action_forbidden': onWebhookThatCannot,
  'testWebhook action_forbidden': onWebhookThatCannot,
}

const pairs = ROUTES.flatMap((route) =>
  route.errors.map((code) => ({ route, code, name: `${route.operationId} ${code}` })),
)

test.each(pairs)('$name', async ({ route, code, name }) => {
  const isOperator = code === 'action_forbidden' && route.path.startsWith('/v1/transactions/')
  const scene = SCENES[name] ?? BY_CODE[code] ?? (isOperator ? onCancelled : undefined)
  if (scene === undefined) throw new Error(`nothing brings about ${name}: add a scene, or take the code away`)
  expect(await scene(route)).toMatchObject({ status: STATUS_OF[code], code })
})

test('every code is in the reference, with its status and what to do', async () => {
  const page = await readFile(new URL('../../../../docs/reference/errors.md', import.meta.url), 'utf8')
  for (const code of Object.keys(APP_ERRORS) as readonly AppErrorCode[]) {
    const row = page.split('\n').find((line) => line.startsWith(`| \`${code}\` | ${STATUS_OF[code]} |`))
    expect(row, code).toContain(ERROR_ADVICE[code])
  }
})
