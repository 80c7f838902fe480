import { expect, test } from 'vitest'
import { ALLOCATED_EVENT } from '../words/sample-resources.suite.ts'
import { createEventFeed } from './event-feed.ts'

/** A stream of events numbered from 1, and how often it was read. */
function createStream(length: number) {
  let end = length
  const reads: { readonly after: number; readonly limit: number }[] = []
  return {
    reads,
    append(count: number) {
      end += count
    },
    api: {
      readEvents: async (after: number, limit: number) => {
        reads.push({ after, limit })
        const count = Math.max(0, Math.min(limit, end - after))
        const items = Array.from({ length: count }, (_, index) => ({ ...ALLOCATED_EVENT, eventId: after + index + 1 }))
        return { items, next: items.at(-1)?.eventId ?? after }
      },
    },
  }
}

const idsOf = (events: readonly { eventId: number }[]) => events.map(({ eventId }) => eventId)

test('an empty stream is read from its start, and shows the first event when it comes', async () => {
  const stream = createStream(0)
  const feed = createEventFeed(stream)
  expect(await feed.advance()).toEqual([])
  stream.append(1)
  expect(idsOf(await feed.advance())).toEqual([1])
})

test.each([1, 60, 61, 199, 200, 201, 12_345, 10_000_000])('a stream of %d shows its newest at once', async (length) => {
  const stream = createStream(length)
  const ids = idsOf(await createEventFeed(stream).advance())
  expect(ids).toEqual(Array.from({ length: Math.min(60, length) }, (_, index) => length - index))
  expect(stream.reads.length).toBeLessThan(60)
})

test('each event appears once, and reading goes on where it ended', async () => {
  const stream = createStream(5)
  const feed = createEventFeed(stream)
  await feed.advance()
  stream.append(2)
  expect(idsOf(await feed.advance())).toEqual([7, 6, 5, 4, 3, 2, 1])
  expect(stream.reads.at(-1)).toEqual({ after: 5, limit: 200 })
})

test('a flood of events is skipped: the feed jumps to its end, and shows nothing twice', async () => {
  const stream = createStream(10)
  const feed = createEventFeed(stream)
  await feed.advance()
  stream.append(50_000)
  await feed.advance()
  const ids = idsOf(await feed.advance())
  expect(ids[0]).toBe(50_010)
  expect(new Set(ids).size).toBe(ids.length)
})
