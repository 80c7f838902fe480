import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createDrover, type Drover } from '../create-drover.ts'
import { event, json, NETWORK_DOWN, problem, type Reply, stubService } from '../testing/stub-service.ts'
import { MAX_SILENCE_MS } from './open-stream.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const frame = (eventId: number) => `id: ${eventId}\nevent: accepted\ndata: ${JSON.stringify(event(eventId))}\n\n`

interface Stream {
  readonly after: string
  send(text: string): void
  end(): void
  fail(): void
}

/** Opens streams whose other end the test holds; `refuse` may answer in their place, and pages have so many events. */
function setUp(refuse: (opened: number) => Reply | null = () => null, pageEvents = 0) {
  const streams: Stream[] = []
  let opened = 0
  const service = stubService(({ url, headers }) => {
    if (url.pathname === '/v1/events') {
      const after = Number(url.searchParams.get('after'))
      const items = Array.from({ length: Math.max(0, pageEvents - after) }, (_, index) => event(after + index + 1))
      return json({ items, next: items.at(-1)?.eventId ?? after })
    }
    return refuse(++opened) ?? openStream(streams, headers.get('last-event-id') ?? '')
  })
  const drover = createDrover({ url: 'http://drover.test', fetch: service.fetch, retry: false })
  return { drover, streams, requests: service.requests }
}

function openStream(streams: Stream[], after: string): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      streams.push({
        after,
        send: (text) => controller.enqueue(new TextEncoder().encode(text)),
        end: () => controller.close(),
        fail: () => controller.error(new TypeError('terminated')),
      })
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } })
}

function follow(drover: Drover, options: Parameters<Drover['events']>[0] = {}) {
  const seen: number[] = []
  const ended = (async () => {
    for await (const { eventId } of drover.events(options)) seen.push(eventId)
  })()
  // Whoever looks at `ended` later gets its reason; until then it is not unhandled.
  ended.catch(() => {})
  return { seen, ended, flush: (ms = 0) => vi.advanceTimersByTimeAsync(ms) }
}

describe('a stream', () => {
  test('brings events as they happen, from the cursor on', async () => {
    const { drover, streams, requests } = setUp()
    const { seen, flush } = follow(drover, { after: 4, types: ['accepted', 'tx.mined'], chainId: 1, completions: true })
    await flush()
    expect(requests[0]?.url.search).toBe('?after=4&types=accepted%2Ctx.mined&chainId=1&completions=true')
    expect(requests[0]?.headers.get('accept')).toBe('text/event-stream')
    streams[0]?.send(`: hello\n\n${frame(5)}`)
    await flush()
    expect(seen).toEqual([5])
    streams[0]?.send(frame(6) + frame(7))
    await flush()
    expect(seen).toEqual([5, 6, 7])
    expect(requests).toHaveLength(1)
  })

  test.each<[string, (stream: Stream) => void]>([
    ['ends', (stream) => stream.end()],
    ['breaks', (stream) => stream.fail()],
    ['breaks within an event', (stream) => [stream.send(frame(3).slice(0, -5)), stream.fail()]],
  ])('that %s is opened again after the last event, and what comes twice is told once', async (_, hurt) => {
    const { drover, streams } = setUp()
    const { seen, flush } = follow(drover)
    await flush()
    streams[0]?.send(frame(1) + frame(2))
    await flush()
    if (streams[0] !== undefined) hurt(streams[0])
    await flush(10_000)
    expect(streams[1]?.after).toBe('2')
    streams[1]?.send(frame(2) + frame(3))
    await flush()
    expect(seen).toEqual([1, 2, 3])
  })

  test('that is silent for too long is closed; heartbeats keep it open', async () => {
    const { drover, streams } = setUp()
    const { flush } = follow(drover)
    await flush()
    for (let count = 0; count < 10; count++) {
      await flush(MAX_SILENCE_MS - 1)
      streams[0]?.send(':\n\n')
      await flush()
    }
    expect(streams).toHaveLength(1)
    await flush(MAX_SILENCE_MS + 60_000)
    expect(streams).toHaveLength(2)
  })

  test('that sends its cursor resumes there, not at the last event', async () => {
    const { drover, streams } = setUp()
    const { seen, flush } = follow(drover, { types: ['accepted'] })
    await flush()
    streams[0]?.send(`${frame(1)}: still here\nid: 900\n\n`)
    await flush()
    streams[0]?.fail()
    await flush(10_000)
    expect(streams[1]?.after).toBe('900')
    streams[1]?.send(frame(901))
    await flush()
    expect(seen).toEqual([1, 901])
  })

  test('is not opened for a bounded range', async () => {
    const { drover, requests } = setUp(() => null, 3)
    const { seen, ended } = follow(drover, { follow: false })
    await ended
    expect(seen).toEqual([1, 2, 3])
    expect(requests.map(({ url }) => url.pathname)).toEqual(['/v1/events'])
  })

  test('that sends an invalid event ends the loop with an error', async () => {
    const { drover, streams } = setUp()
    const { ended, flush } = follow(drover)
    await flush()
    streams[0]?.send('id: 1\ndata: nonsense\n\n')
    await expect(ended).rejects.toMatchObject({ code: 'unexpected_answer' })
  })
})

describe('the end', () => {
  test('by the signal: with its reason, and without a timer left', async () => {
    const { drover, streams } = setUp()
    const controller = new AbortController()
    const { ended, flush } = follow(drover, { signal: controller.signal })
    await flush()
    streams[0]?.send(frame(1))
    await flush()
    controller.abort('enough')
    await expect(ended).rejects.toBe('enough')
    expect(vi.getTimerCount()).toBe(0)
  })

  test('by leaving the loop: the connection is closed', async () => {
    const aborted: AbortSignal[] = []
    const fetch = async (_: string, { signal }: RequestInit) => {
      if (signal) aborted.push(signal)
      return new Response(frame(1), { headers: { 'content-type': 'text/event-stream' } })
    }
    const drover = createDrover({ url: 'http://drover.test', fetch })
    for await (const _ of drover.events()) break
    expect(aborted.map((signal) => signal.aborted)).toEqual([true])
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('where streaming is not possible', () => {
  test.each<[string, () => Reply]>([
    ['an older service', () => problem(404, 'not_found')],
    ['one that has too many', () => problem(503, 'too_many_streams', { retryAfterMs: 1_000 })],
    ['a proxy with a page of its own', () => new Response('<html>')],
  ])('pages are read instead: %s', async (_, refuse) => {
    const { drover, requests } = setUp(refuse, 3)
    const { seen, flush } = follow(drover)
    await flush(10_000)
    expect(seen).toEqual([1, 2, 3])
    expect(requests.filter(({ url }) => url.pathname.endsWith('/stream'))).toHaveLength(1)
  })

  test('the stream is tried again after a while, and used', async () => {
    const { drover, streams } = setUp((opened) => (opened === 1 ? problem(503, 'too_many_streams') : null), 3)
    const { seen, flush } = follow(drover)
    await flush(70_000)
    expect(streams[0]?.after).toBe('3')
    streams[0]?.send(frame(4))
    await flush()
    expect(seen).toEqual([1, 2, 3, 4])
  })

  test('with the network down, it waits instead of reading pages', async () => {
    const { drover, streams, requests } = setUp((opened) => (opened <= 3 ? NETWORK_DOWN : null))
    const { flush } = follow(drover)
    await flush(30_000)
    expect(streams).toHaveLength(1)
    expect(requests.map(({ url }) => url.pathname)).toEqual(Array(4).fill('/v1/events/stream'))
  })

  test('a key that is refused ends the loop', async () => {
    const fetch = async () => problem(401, 'unauthorized')
    const drover = createDrover({ url: 'http://drover.test', fetch })
    await expect(drover.events().next()).rejects.toMatchObject({ code: 'unauthorized', status: 401 })
  })
})
