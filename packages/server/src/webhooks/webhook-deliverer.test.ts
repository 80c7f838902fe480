/** What comes of an attempt is stored once, and no attempt is repeated because storing it took a second try. */
import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { StoreUnavailable } from '../ports/store.ts'
import type { WebhookStore } from '../ports/webhook-store.ts'
import { createManualClock } from '../testing/engine/manual-clock.ts'
import { createMemoryStore } from '../testing/store/memory-store.ts'
import { createMemoryWebhookStore } from '../testing/store/memory-webhook-store.ts'
import { accept, anyNew, registerLane } from '../testing/store/samples.ts'
import { createRecordingTelemetry } from '../testing/telemetry/recording-telemetry.ts'
import { createWebhookDeliverer } from './webhook-deliverer.ts'

const HANGS = 'https://example.com/hangs'
const TIMEOUT_MS = 15_000
const SETTINGS = {
  retry: { firstPauseMs: 1_000, longestPauseMs: 2_000, giveUpAfterMs: 60_000 },
  disableAfterMs: 60_000,
  retentionMs: 60_000,
  parallel: 16,
}

async function setUp(hanging = 0) {
  const clock = createManualClock()
  const store = createMemoryStore({ clock })
  const memory = createMemoryWebhookStore({ clock, events: store, newId: randomUUID })
  const lane = await registerLane(store)
  const filter = { types: null, chainId: null, signer: lane.signer, completions: false }
  const webhook = {
    id: randomUUID(),
    url: 'https://example.com/hook',
    description: null,
    filter,
    secret: 'whsec_c2VjcmV0',
    after: null,
    createdBy: 'tests',
  }
  await memory.insertWebhook(webhook, 200)
  const hungLane = await registerLane(store)
  for (let index = 0; index < hanging; index++) {
    const hung = { ...filter, signer: hungLane.signer }
    await memory.insertWebhook({ ...webhook, id: randomUUID(), url: HANGS, filter: hung }, 200)
  }
  const state = { isAway: false, isSlow: false, isRefusing: false, isUneven: false }
  const telemetry = createRecordingTelemetry()
  const [posted, settled]: [string[], string[]] = [[], []]
  let hung = 0
  const hang = async (signal: AbortSignal) => {
    hung += 1
    await new Promise<void>((resolve) => {
      const cancel = clock.schedule(TIMEOUT_MS, resolve)
      signal.addEventListener('abort', () => {
        cancel()
        resolve()
      })
    })
    hung -= 1
    return { status: null, error: 'no answer', response: null, durationMs: TIMEOUT_MS, retryAfterMs: null }
  }
  const webhooks: WebhookStore = {
    ...memory,
    settleDeliveries: async (...args) => {
      if (state.isAway) throw new StoreUnavailable('away')
      settled.push(...args[1].map(({ due }) => due.delivery.id))
      const answer = await memory.settleDeliveries(...args)
      if (state.isSlow) await new Promise<void>((resolve) => clock.schedule(500, resolve))
      return answer
    },
  }
  const deliverer = createWebhookDeliverer({
    store,
    webhooks,
    clock,
    telemetry,
    nodeId: 'node-a',
    settings: SETTINGS,
    random: { fraction: () => 0 },
    poster: {
      post: async (url, headers, _body, signal) => {
        if (url === HANGS) return await hang(signal)
        if (state.isRefusing) return { status: 500, error: 'refused', response: '', durationMs: 1, retryAfterMs: null }
        posted.push(headers['webhook-id'] ?? '')
        const tookMs = state.isUneven ? (posted.length % 4) * 150 : 0
        if (tookMs > 0) await new Promise<void>((resolve) => clock.schedule(tookMs, resolve))
        return { status: 200, error: null, response: 'ok', durationMs: 1, retryAfterMs: null }
      },
      close: () => {},
    },
    lease: { ttlMs: 600_000, renewIntervalMs: 5_000 },
    present: ({ eventId }) => ({ eventId }),
  })
  onTestFinished(async () => {
    const stopping = deliverer.stop()
    await clock.advance(60_000)
    await stopping
  })
  await deliverer.start()
  const send = (count: number) =>
    accept(
      store,
      Array.from({ length: count }, () => anyNew(lane)),
    )
  const sendToHanging = (count: number) =>
    accept(
      store,
      Array.from({ length: count }, () => anyNew(hungLane)),
    )
  const log = () => memory.listDeliveries(webhook.id, { state: null, before: null, limit: 100 })
  /** How many rows each of the webhooks that hang has in the log. */
  const rowsOfHung = async () => {
    const ids = (await memory.listWebhooks()).filter(({ url }) => url === HANGS).map(({ id }) => id)
    const page = { state: null, before: null, limit: 10_000 }
    return await Promise.all(ids.map(async (id) => (await memory.listDeliveries(id, page)).length))
  }
  const lag = () => telemetry.valueOf('drover_webhook_lag_seconds')
  return { clock, state, posted, settled, send, sendToHanging, hung: () => hung, log, rowsOfHung, lag }
}

test('a result that could not be stored is kept, and stored when the database is back', async () => {
  const { clock, state, posted, settled, send, log } = await setUp()
  state.isAway = true
  await send(3)
  await clock.advance(30_000)
  expect(await log()).toMatchObject([{ state: 'PENDING' }, { state: 'PENDING' }, { state: 'PENDING' }])
  state.isAway = false
  await clock.advance(30_000)
  expect((await log()).map((delivery) => [delivery.state, delivery.attempts])).toEqual([
    ['DELIVERED', 1],
    ['DELIVERED', 1],
    ['DELIVERED', 1],
  ])
  expect([posted.length, settled.length]).toEqual([3, 3])
})

test('a result is stored once, though others come back while it is being stored', async () => {
  const { clock, state, posted, settled, send } = await setUp()
  state.isSlow = true
  state.isUneven = true
  for (let round = 0; round < 5; round++) {
    await send(4)
    await clock.advance(100)
  }
  await clock.advance(30_000)
  expect([posted.length, new Set(posted).size]).toEqual([20, 20])
  expect([settled.length, new Set(settled).size]).toEqual([20, 20])
})

test('a receiver that refuses is late between its attempts too, and no longer once it accepts', async () => {
  const { clock, state, send, lag } = await setUp()
  state.isRefusing = true
  await send(1)
  const seen: number[] = []
  for (let second = 0; second < 30; second++) {
    await clock.advance(1_000)
    // As other events do: the table is looked at before the next attempt is due.
    await send(1)
    seen.push(lag())
  }
  expect(seen.map((seconds, index) => seconds >= index - 2)).toEqual(seen.map(() => true))
  state.isRefusing = false
  await clock.advance(10_000)
  expect(lag()).toBe(0)
})

test('a receiver that hangs is late', async () => {
  const { clock, sendToHanging, lag } = await setUp(1)
  await sendToHanging(1)
  await clock.advance(3 * TIMEOUT_MS)
  expect(lag()).toBeGreaterThan(TIMEOUT_MS / 1_000)
})

test('receivers that hang, however many, leave room for one that had nothing to get until now', async () => {
  const { clock, posted, hung, send, sendToHanging } = await setUp(150)
  await sendToHanging(50)
  await clock.advance(1_000)
  // All places but the one of the webhook that is idle.
  expect(hung()).toBe(199)
  await send(40)
  await clock.advance(2_000)
  expect(posted).toHaveLength(40)
})

test('a receiver that hangs holds few places', async () => {
  const { clock, posted, hung, send, sendToHanging } = await setUp(30)
  await sendToHanging(50)
  await send(40)
  await clock.advance(1_000)
  expect([hung(), posted.length]).toEqual([60, 40])
  await clock.advance(TIMEOUT_MS + 5_000)
  expect(hung()).toBe(60)
})

test('a receiver that hangs gets few rows ahead, so it does not delay the rows of others', async () => {
  const { clock, posted, send, sendToHanging, rowsOfHung } = await setUp(2)
  for (let round = 0; round < 10; round++) {
    await sendToHanging(300)
    await send(300)
    await clock.advance(1_000)
  }
  expect(Math.max(...(await rowsOfHung()))).toBeLessThanOrEqual(700)
  await clock.advance(4_000)
  expect(posted).toHaveLength(3_000)
})

test('a fast receiver gets a long backlog at once, without waiting for the next renewal of leases', async () => {
  const { clock, posted, send } = await setUp()
  await clock.advance(5_100)
  await send(1_500)
  await clock.advance(4_000)
  expect(posted).toHaveLength(1_500)
})
