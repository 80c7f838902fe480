import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createDrover } from '../create-drover.ts'
import { ID, NETWORK_DOWN, type Reply, stubService } from '../testing/stub-service.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

/** Each request gets the next text as its whole stream; after the last, streams stay open and silent. */
function setUp(...texts: readonly (string | Reply)[]) {
  const left = [...texts]
  const service = stubService(() => {
    const next = left.shift()
    if (next !== undefined && typeof next !== 'string') return next
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        if (next === undefined) return
        controller.enqueue(new TextEncoder().encode(next))
        controller.close()
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  })
  return {
    drover: createDrover({ url: 'http://drover.test', fetch: service.fetch, retry: false }),
    requests: service.requests,
  }
}

async function take<T>(source: AsyncIterable<T>, count: number): Promise<readonly T[]> {
  const taken: T[] = []
  const reading = (async () => {
    for await (const one of source) if (taken.push(one) === count) return
  })()
  await vi.advanceTimersByTimeAsync(60_000)
  await reading
  return taken
}

const block = (number: number) => `id: ${number}\nevent: block\ndata: {"number":${number}}\n\n`
const update = (count: number, newFork: boolean) =>
  `event: confirmations\ndata: {"transactionId":"${ID}","count":${count},"newFork":${newFork},"confirmations":[]}\n\n`

describe('confirmed blocks', () => {
  test('arrive in order and once, also after the stream is reopened', async () => {
    const { drover, requests } = setUp(block(8) + block(9), NETWORK_DOWN, block(9) + block(10))
    const blocks = await take(drover.chains.followBlocks(7, { after: 7 }), 3)
    expect(blocks.map(({ number }) => number)).toEqual([8, 9, 10])
    expect(requests.map(({ url, headers }) => [url.pathname + url.search, headers.get('last-event-id')])).toEqual([
      ['/v1/chains/7/blocks/stream?after=7', '7'],
      ['/v1/chains/7/blocks/stream?after=9', '9'],
      ['/v1/chains/7/blocks/stream?after=9', '9'],
    ])
  })

  test('start now if no cursor is given; a heartbeat moves the cursor, and a gap is reported', async () => {
    const { drover, requests } = setUp(': still here\nid: 4\n\n', `event: gap\ndata: {"from":6}\n\n${block(6)}`)
    const gaps: number[] = []
    expect(await take(drover.chains.followBlocks(7, { onGap: (from) => gaps.push(from) }), 1)).toEqual([{ number: 6 }])
    expect(gaps).toEqual([6])
    expect(requests.map(({ url }) => url.search)).toEqual(['', '?after=4'])
  })
})

describe('confirmations', () => {
  test('arrive as they grow, without other events, and in full after a reconnect', async () => {
    const { drover, requests } = setUp(update(1, true) + update(2, false), update(2, true))
    const told = await take(drover.confirmations({ chainId: 7 }), 3)
    expect(told.map(({ count, newFork }) => [count, newFork])).toEqual([
      [1, true],
      [2, false],
      [2, true],
    ])
    expect(requests[0]?.url.search).toBe('?types=confirmations&include=confirmations&chainId=7')
  })

  test('end with an answer that is not a stream', async () => {
    const { drover } = setUp(new Response('{}', { headers: { 'content-type': 'application/json' } }))
    await expect(drover.confirmations().next()).rejects.toMatchObject({ code: 'unexpected_answer' })
  })
})
