import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../tests/setup/database.ts'
import { eventually } from '../../../../tests/setup/eventually.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../../../../tests/setup/webhook-receiver.ts'
import { createSystemClock } from '../app/system-clock.ts'
import { createSystemRandom } from '../app/system-random.ts'
import type { Lane } from '../core/lane/lane.ts'
import { type Store, StoreUnavailable } from '../ports/store.ts'
import type { WebhookStore } from '../ports/webhook-store.ts'
import { createPostgresStore } from '../store/postgres/postgres-store.ts'
import { createPostgresWebhookStore } from '../store/postgres/webhooks/postgres-webhook-store.ts'
import { anyNew, registerLane } from '../testing/store/samples.ts'
import { createRecordingTelemetry, type RecordingTelemetry } from '../testing/telemetry/recording-telemetry.ts'
import { createPoster } from './post-delivery.ts'
import { createWebhookDeliverer } from './webhook-deliverer.ts'

const clock = createSystemClock()
const random = createSystemRandom()
const DAY_MS = 86_400_000
/** Longer than a busy machine takes to renew it, but for the test in which it runs out. */
const LEASE = { ttlMs: 30_000, renewIntervalMs: 200 }
const SHORT_LEASE = { ttlMs: 1_000, renewIntervalMs: 200 }
const SETTINGS = {
  retry: { firstPauseMs: 100, longestPauseMs: 200, giveUpAfterMs: 60_000 },
  disableAfterMs: 60_000,
  retentionMs: 60_000,
  parallel: 16,
}

let database: TestDatabase
let telemetry: RecordingTelemetry
let store: Store
let webhooks: WebhookStore
let receiver: WebhookReceiver
let lane: Lane

beforeAll(async () => {
  database = await createTestDatabase()
  telemetry = createRecordingTelemetry()
  store = createPostgresStore({ databaseUrl: database.url, telemetry })
  webhooks = createPostgresWebhookStore({ databaseUrl: database.url, telemetry })
})

beforeEach(async () => {
  await receiver?.stop()
  receiver = await startWebhookReceiver()
  lane = await registerLane(store)
  for (const { id } of await webhooks.listWebhooks()) await webhooks.deleteWebhook(id)
  const filter = { types: null, chainId: null, signer: lane.signer, completions: false }
  const id = random.id(clock.now())
  await webhooks.insertWebhook(
    { id, url: receiver.url, description: null, filter, secret: 'whsec_c2VjcmV0', after: null, createdBy: 'tests' },
    10,
  )
})

afterAll(async () => {
  await webhooks?.close()
  await store?.close()
  await receiver?.stop()
  await database?.drop()
})

interface Over {
  readonly webhooks?: WebhookStore
  readonly timeoutMs?: number
  readonly lease?: typeof LEASE
}

function open(over: Over = {}) {
  const nodeId = random.id(clock.now())
  const poster = createPoster({ allowPrivate: true, timeoutMs: over.timeoutMs ?? 30_000, now: clock.now })
  const deliverer = createWebhookDeliverer({
    store,
    clock,
    random,
    telemetry,
    nodeId,
    poster,
    settings: SETTINGS,
    lease: over.lease ?? LEASE,
    webhooks: over.webhooks ?? webhooks,
    present: ({ eventId, txId }) => ({ eventId, txId }),
  })
  return { ...deliverer, nodeId }
}

const accept = (count: number) => store.insertTransactions(Array.from({ length: count }, () => anyNew(lane)))
const received = (count: number) =>
  eventually(
    async () => receiver.received.length,
    (size) => size >= count,
  )

test('a thousand events cost statements by the batch', async () => {
  const node = open()
  await node.start()
  const statements = ['plan_deliveries', 'read_due_deliveries', 'read_events_by_id', 'settle_deliveries']
  const count = () =>
    statements
      .map((operation) => telemetry.valueOf('drover_store_round_trips_total', { operation, outcome: 'ok' }))
      .reduce((a, b) => a + b, 0)
  const before = count()
  for (let batch = 0; batch < 10; batch++) await accept(100)
  // At least once: on a busy machine one may come twice.
  await eventually(
    async () => new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size,
    (distinct) => distinct === 1_000,
  )
  // One by one it would be three for each event; how many share a batch depends on how fast the receiver answers.
  expect(count() - before).toBeLessThan(1_000)
  await node.stop()
})

test('many webhooks, changed while two nodes serve them and receivers fail at random: all arrives, no statement fails', async () => {
  for (let index = 0; index < 5; index++) {
    const [model] = await webhooks.listWebhooks()
    if (model === undefined) throw new Error('no webhook')
    const id = random.id(clock.now())
    await webhooks.insertWebhook({ ...model, id, secret: 'whsec_c2VjcmV0', after: null }, 10)
  }
  const made = await webhooks.listWebhooks()
  const nodes = [open(), open()]
  for (const { nodeId } of nodes) await store.heartbeat({ nodeId, address: null, chains: null, ttlMs: 60_000 })
  await Promise.all(nodes.map(({ start }) => start()))
  let answered = 0
  receiver.answerWith(() => ({ status: answered++ % 3 === 0 ? 500 : 200 }))
  for (let round = 0; round < 20; round++) {
    await accept(10)
    const webhook = made[round % made.length]
    if (webhook === undefined) throw new Error('no webhook')
    const [latest] = await webhooks.listDeliveries(webhook.id, { state: null, before: null, limit: 1 })
    await Promise.all([
      webhooks.updateWebhook(webhook.id, { description: `round ${round}` }),
      webhooks.updateWebhook(webhook.id, { enabled: round % 2 === 0 }),
      latest === undefined ? null : webhooks.redeliver(webhook.id, latest.id),
      webhooks.pruneDeliveries(DAY_MS, 10),
    ])
  }
  for (const { id } of made) await webhooks.updateWebhook(id, { enabled: true })
  receiver.answerWith(() => ({ status: 200 }))
  await eventually(
    () =>
      Promise.all(made.map(({ id }) => webhooks.listDeliveries(id, { state: 'DELIVERED', before: null, limit: 999 }))),
    (logs) => logs.every((log) => log.length === 200),
  )
  expect(telemetry.logs.filter(({ message }) => message === 'could not process webhooks; retrying')).toEqual([])
  await Promise.all(nodes.map(({ stop }) => stop()))
  for (const { nodeId } of nodes) await store.removeNode(nodeId)
})

test('a node that cannot renew stops in time; the other one takes over', async () => {
  let isCut = false
  const refuse = () => Promise.reject(new StoreUnavailable('cut off'))
  const cut: WebhookStore = {
    ...webhooks,
    keepWebhooks: (...args) => (isCut ? refuse() : webhooks.keepWebhooks(...args)),
    settleDeliveries: (...args) => (isCut ? refuse() : webhooks.settleDeliveries(...args)),
    releaseWebhooks: (...args) => (isCut ? refuse() : webhooks.releaseWebhooks(...args)),
  }
  const lease = SHORT_LEASE
  const [first, second] = [open({ webhooks: cut, lease }), open({ lease })]
  await first.start()
  await accept(1)
  await received(1)
  await second.start()
  isCut = true
  await accept(50)
  await received(51)
  await eventually(
    async () => {
      const [webhook] = await webhooks.listWebhooks()
      return webhooks.listDeliveries(webhook?.id ?? '', { state: 'DELIVERED', before: null, limit: 100 })
    },
    (log) => log.length === 51,
  )
  const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']))
  expect(ids.size).toBe(51)
  expect(telemetry.logs.some(({ message }) => message.includes('could not renew webhook leases'))).toBe(true)
  await Promise.all([first.stop(), second.stop()])
})

test('a stop lets what is under way come to its end, and hands over at once', async () => {
  const [first, second] = [open(), open()]
  await first.start()
  let arrive: () => void = () => {}
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve
  })
  receiver.answerWith(() => {
    arrive()
    return { status: 200, delayMs: 300 }
  })
  await accept(1)
  await arrived
  await first.stop()
  const [webhook] = await webhooks.listWebhooks()
  const [delivery] = await webhooks.listDeliveries(webhook?.id ?? '', { state: null, before: null, limit: 1 })
  expect(delivery).toMatchObject({ state: 'DELIVERED', attempts: 1 })
  await second.start()
  // At once, not when a lease has run out.
  expect(telemetry.valueOf('drover_webhooks_owned')).toBe(1)
  await accept(1)
  await received(2)
  await second.stop()
})

test('however many webhooks a node has, none is left out: room that one does not need is for the others', async () => {
  const [model] = await webhooks.listWebhooks()
  if (model === undefined) throw new Error('no webhook')
  for (let index = 0; index < 29; index++) {
    const id = random.id(clock.now())
    await webhooks.insertWebhook({ ...model, id, secret: 'whsec_c2VjcmV0', after: null }, 100)
  }
  const made = await webhooks.listWebhooks()
  const node = open()
  await node.start()
  await accept(1)
  await eventually(
    () =>
      Promise.all(made.map(({ id }) => webhooks.listDeliveries(id, { state: 'DELIVERED', before: null, limit: 10 }))),
    (logs) => logs.every((log) => log.length === 1),
  )
  await node.stop()
})

test('receivers that hang take no places from one that answers', async () => {
  const [model] = await webhooks.listWebhooks()
  if (model === undefined) throw new Error('no webhook')
  for (let index = 0; index < 19; index++) {
    const id = random.id(clock.now())
    await webhooks.insertWebhook(
      { ...model, id, url: `${receiver.url}/hangs`, secret: 'whsec_c2VjcmV0', after: null },
      100,
    )
  }
  receiver.answerWith(({ path }) => ({ status: 200, delayMs: path === '/hangs' ? 5_000 : 0 }))
  const node = open({ timeoutMs: 1_000 })
  await node.start()
  await accept(100)
  await eventually(
    () => webhooks.listDeliveries(model.id, { state: 'DELIVERED', before: null, limit: 200 }),
    (deliveries) => deliveries.length === 100,
  )
  await node.stop()
})
