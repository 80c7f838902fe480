import { expect, test } from 'vitest'
import type { Lane } from '../../core/lane/lane.ts'
import type { QueueDepth } from '../../ports/lane-queue.ts'
import { StoreUnavailable } from '../../ports/store.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import { createQueueBounds } from './queue-depth.ts'

const LANE: Lane = { chainId: 1, signer: `0x${'11'.repeat(20)}` }
const OTHER: Lane = { chainId: 1, signer: `0x${'22'.repeat(20)}` }

function create(depths: QueueDepth[] = []) {
  const state = { now: 0, counts: 0, depths, isDown: false, slow: null as Promise<void> | null }
  const queue = createQueueBounds({
    store: {
      countQueued: async () => {
        state.counts += 1
        if (state.isDown) throw new StoreUnavailable('away')
        const seen = state.depths
        await state.slow
        return seen
      },
    },
    clock: { monotonic: () => state.now },
    telemetry: createRecordingTelemetry(),
    limits: { maxQueuedPerSigner: 10, maxQueued: 16, sharePercent: 50 },
  })
  const fill = async (lane: Lane, tenant: string | null, times: number): Promise<void> => {
    for (let count = 0; count < times; count++) (await queue.enter(lane, tenant)).keep()
  }
  return { state, queue, fill }
}

test('a tenant fills its half of the queue of a signer, and another the rest [G12]', async () => {
  const { queue, fill, state } = create()
  await fill(LANE, 'a', 5)
  await expect(queue.enter(LANE, 'a')).rejects.toMatchObject({
    code: 'tenant_limit',
    details: { bound: `queued transactions of signer ${LANE.signer}`, limit: 5, retryAfterMs: 1_000 },
  })
  await fill(LANE, 'b', 5)
  await expect(queue.enter(LANE, 'c')).rejects.toMatchObject({ code: 'queue_full', details: { limit: 10 } })
  // Three more on another signer are the half that it may have of all.
  await fill(OTHER, 'a', 3)
  await expect(queue.enter(OTHER, 'a')).rejects.toMatchObject({
    code: 'tenant_limit',
    details: { bound: 'queued transactions', limit: 8 },
  })
  await fill(OTHER, 'c', 3)
  await expect(queue.enter(OTHER, 'd')).rejects.toMatchObject({ code: 'queue_full', details: { limit: 16 } })
  expect(state.counts).toBe(1)
})

test('without keys the only tenant has the whole queue', async () => {
  const { queue, fill } = create()
  await fill(LANE, null, 10)
  await expect(queue.enter(LANE, null)).rejects.toMatchObject({ code: 'queue_full' })
})

test('what is in the database counts, whoever put it there, and is counted again after a while', async () => {
  const { queue, state } = create([{ lane: LANE, tenant: 'a', queued: 5, oldestAt: 0 }])
  await expect(queue.enter(LANE, 'a')).rejects.toMatchObject({ code: 'tenant_limit' })
  state.depths = []
  await expect(queue.enter(LANE, 'a')).rejects.toMatchObject({ code: 'tenant_limit' })
  state.now += 1_000
  // This one begins the count, which the next one sees.
  await queue.enter(LANE, 'a').catch(() => undefined)
  expect(await queue.enter(LANE, 'a')).toMatchObject({ keep: expect.any(Function) })
  expect(state.counts).toBe(2)
})

test('a freed slot can be used again; a database that is down refuses nobody', async () => {
  const { queue, state } = create()
  state.isDown = true
  const places = await Promise.all(Array.from({ length: 5 }, () => queue.enter(LANE, 'a')))
  await expect(queue.enter(LANE, 'a')).rejects.toMatchObject({ code: 'tenant_limit' })
  places[0]?.giveBack()
  expect(await queue.enter(LANE, 'a')).toMatchObject({ keep: expect.any(Function) })
})

test('the queue of a signer is known without a request, and counted again only after a while', async () => {
  const { queue, state } = create([
    { lane: LANE, tenant: 'a', queued: 5, oldestAt: 70 },
    { lane: LANE, tenant: 'b', queued: 1, oldestAt: 30 },
  ])
  expect(queue.depthOf(LANE)).toBeNull()
  queue.refresh()
  await Promise.resolve()
  await Promise.resolve()
  expect([queue.depthOf(LANE), queue.depthOf(OTHER)]).toEqual([
    { queued: 6, oldestAt: 30 },
    { queued: 0, oldestAt: null },
  ])
  expect([queue.tenantsOf(LANE), queue.tenantsOf(OTHER)]).toEqual([['a', 'b'], []])
  ;(await queue.enter(OTHER, 'c')).keep()
  expect(queue.tenantsOf(OTHER)).toEqual(['c'])
  queue.refresh()
  expect(state.counts).toBe(1)
})

function startSlowCount(state: { slow: Promise<void> | null; now: number }): () => void {
  let end = (): void => {}
  state.slow = new Promise((resolve) => {
    end = resolve
  })
  state.now += 1_000
  return () => {
    state.slow = null
    end()
  }
}

test('what was stored before a count counts while it runs', async () => {
  const { queue, fill, state } = create()
  await fill(LANE, 'a', 5)
  const end = startSlowCount(state)
  await expect(queue.enter(LANE, 'a')).rejects.toMatchObject({ code: 'tenant_limit' })
  end()
})

test('what is being stored while a count begins counts after it', async () => {
  const { queue, fill, state } = create()
  await fill(LANE, 'a', 4)
  state.depths = [{ lane: LANE, tenant: 'a', queued: 4, oldestAt: 0 }]
  const place = await queue.enter(LANE, 'a')
  state.now += 1_000
  queue.refresh()
  await expect(queue.enter(LANE, 'a')).rejects.toMatchObject({ code: 'tenant_limit' })
  place.keep()
  state.depths = [{ lane: LANE, tenant: 'a', queued: 5, oldestAt: 0 }]
  await expect(queue.enter(LANE, 'a')).rejects.toMatchObject({ code: 'tenant_limit' })
})

test('what was stored during a count and is in it refuses nobody', async () => {
  const { queue, fill, state } = create()
  await fill(LANE, 'a', 3)
  const place = await queue.enter(LANE, 'a')
  state.depths = [{ lane: LANE, tenant: 'a', queued: 4, oldestAt: 0 }]
  const end = startSlowCount(state)
  queue.refresh()
  place.keep()
  end()
  expect(await queue.enter(LANE, 'a')).toMatchObject({ keep: expect.any(Function) })
  await expect(queue.enter(LANE, 'a')).rejects.toMatchObject({ code: 'tenant_limit' })
})
