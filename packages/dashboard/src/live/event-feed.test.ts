import { expect, test } from 'vitest'
import { ALLOCATED_EVENT, SENT_TX } from '../words/sample-resources.ts'
import { createEventFeed } from './event-feed.ts'

/** A stream of events numbered from 1, the last of which belongs to the newest transaction. */
function createStream(length: number) {
  const events = Array.from({ length }, (_, index) => ({ ...ALLOCATED_EVENT, eventId: index + 1 }))
  const cursors: number[] = []
  return {
    cursors,
    append(count: number) {
      for (let added = 0; added < count; added++) events.push({ ...ALLOCATED_EVENT, eventId: events.length + 1 })
    },
    api: {
      listTransactions: async () => ({ items: events.length === 0 ? [] : [SENT_TX], next: null }),
      readHistory: async () => ({ items: events.slice(-1) }),
      readEvents: async (after: number, limit: number) => {
        cursors.push(after)
        const items = events.slice(after, after + limit)
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

test('a long stream is joined near its end, newest first', async () => {
  const stream = createStream(100_000)
  const first = idsOf(await createEventFeed(stream).advance())
  expect(first[0]).toBe(100_000)
  expect(first).toHaveLength(60)
  expect(stream.cursors).toEqual([99_940])
})

test('each event appears once, and reading goes on where it ended', async () => {
  const stream = createStream(5)
  const feed = createEventFeed(stream)
  await feed.advance()
  stream.append(2)
  expect(idsOf(await feed.advance())).toEqual([7, 6, 5, 4, 3, 2, 1])
  expect(stream.cursors.at(-1)).toBe(5)
})

test('a flood is not read in full: the feed jumps to its end, and never back', async () => {
  const stream = createStream(10)
  const feed = createEventFeed(stream)
  await feed.advance()
  stream.append(50_000)
  await feed.advance()
  const ids = idsOf(await feed.advance())
  expect(ids[0]).toBe(50_010)
  expect(new Set(ids).size).toBe(ids.length)
  expect(stream.cursors).toEqual([...stream.cursors].sort((a, b) => a - b))
})
