import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createDrover, type Drover } from '../create-drover.ts'
import type { Event } from '../generated/api-types.ts'
import {
  ADDRESS,
  event,
  json,
  NETWORK_DOWN,
  problem,
  type Reply,
  type SeenRequest,
  stubService,
} from '../testing/stub-service.ts'
import { readEvents } from './events.ts'
import type { OpenEvents } from './poll-events.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

/** A service with so many events; `fault` may answer in its place. */
function setUp(count: number, fault: (asked: number) => Reply | null = () => null) {
  const state = { count }
  const pages: SeenRequest[] = []
  const service = stubService((request) => {
    const { url } = request
    if (url.pathname === '/v1/events/stream') return problem(404, 'not_found')
    const asked = pages.push(request)
    const after = Number(url.searchParams.get('after'))
    const limit = Number(url.searchParams.get('limit'))
    const items = Array.from({ length: Math.min(limit, state.count - after) }, (_, index) => event(after + index + 1))
    return fault(asked) ?? json({ items, next: items.at(-1)?.eventId ?? after })
  })
  const drover = createDrover({ url: 'http://drover.test', fetch: service.fetch, retry: false })
  return { drover, state, requests: pages }
}

function numbers(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}

/** Reads so many, moving time along as they are waited for. */
async function take(drover: Drover, count: number, options: Parameters<Drover['events']>[0] = {}) {
  const seen: number[] = []
  const reading = (async () => {
    for await (const { eventId } of drover.events(options)) if (seen.push(eventId) === count) return seen
    return seen
  })()
  const [all] = await Promise.all([reading, vi.runAllTimersAsync()])
  return all
}

describe('all events in order', () => {
  test('over pages, from the first', async () => {
    const { drover, requests } = setUp(450)
    expect(await take(drover, 1_000, { follow: false })).toEqual(numbers(1, 450))
    expect(requests).toHaveLength(3)
  })

  test('after a cursor', async () => {
    const { drover } = setUp(450)
    expect(await take(drover, 1_000, { after: 448, follow: false })).toEqual([449, 450])
  })

  test('or only completions, on request', async () => {
    const { drover, requests } = setUp(1)
    await take(drover, 1, { completions: true })
    await take(drover, 1, { completions: false })
    expect(requests.map(({ url }) => url.search)).toEqual(['?after=0&limit=200&completions=true', '?after=0&limit=200'])
  })

  test('or only the filtered ones, though pages contain all', async () => {
    const { drover } = setUp(450)
    expect(await take(drover, 1_000, { follow: false, types: ['accepted'], from: ADDRESS.toLowerCase() })).toHaveLength(
      450,
    )
    expect(await take(drover, 1_000, { follow: false, types: ['inclusion.seen'] })).toEqual([])
    expect(await take(drover, 1_000, { follow: false, chainId: 2 })).toEqual([])
  })

  test('later ones too, polling less often while there are none', async () => {
    const { drover, state, requests } = setUp(1)
    const events = drover.events()
    expect(await events.next()).toMatchObject({ value: { eventId: 1 } })
    const second = events.next()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(requests.length).toBeGreaterThan(25)
    expect(requests.length).toBeLessThan(40)
    state.count = 3
    await vi.advanceTimersByTimeAsync(2_000)
    expect(await second).toMatchObject({ value: { eventId: 2 } })
    expect(await events.next()).toMatchObject({ value: { eventId: 3 } })
  })

  test.each([1, 2, 3, 4])('even if request %i and later ones fail for a while', async (first) => {
    const { drover } = setUp(500, (asked) => (asked >= first && asked < first + 8 ? NETWORK_DOWN : null))
    expect(await take(drover, 500)).toEqual(numbers(1, 500))
  })
})

describe('the end', () => {
  test('comes with an error that cannot pass', async () => {
    const { drover } = setUp(1, (asked) => (asked === 2 ? problem(401, 'unauthorized') : null))
    await expect(take(drover, 5)).rejects.toMatchObject({ code: 'unauthorized' })
  })

  test('comes with an outage longer than allowed, counted from the last answer', async () => {
    const { drover, requests } = setUp(1, (asked) => (asked % 2 === 0 || asked > 40 ? NETWORK_DOWN : null))
    await expect(take(drover, 5, { maxOutageMs: 5_000 })).rejects.toMatchObject({ code: 'network_error' })
    expect(requests.length).toBeGreaterThan(40)
  })

  test('comes with the signal, and leaves no timer', async () => {
    const { drover } = setUp(1)
    const controller = new AbortController()
    const events = drover.events({ signal: controller.signal })
    await events.next()
    const refused = expect(events.next()).rejects.toBe('enough')
    await vi.advanceTimersByTimeAsync(100)
    controller.abort('enough')
    await refused
    expect(vi.getTimerCount()).toBe(0)
  })
})

test('a source that repeats events or ends early is reopened after the last event returned', async () => {
  const opened: number[] = []
  const open: OpenEvents = async function* ({ after }): AsyncGenerator<Event> {
    opened.push(after)
    yield event(Math.max(1, after - 1))
    yield event(after + 1)
    yield event(after + 2)
  }
  const seen: number[] = []
  for await (const { eventId } of readEvents({ open, onRetry: () => {} }, {})) if (seen.push(eventId) === 6) break
  expect(seen).toEqual([1, 2, 3, 4, 5, 6])
  expect(opened).toEqual([0, 2, 4])
})
