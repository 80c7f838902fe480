import { expect, test } from 'vitest'
import type { HistoryEntry } from '../../ports/history.ts'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { createEventPages } from './event-pages.ts'

function create(events: number) {
  const clock = createManualClock()
  const reads: number[] = []
  const readEvents = async (after: number, limit: number): Promise<HistoryEntry[]> => {
    reads.push(after)
    const ids = Array.from({ length: events }, (_, index) => index + 1).filter((id) => id > after)
    return ids.slice(0, limit).map((eventId) => ({ eventId }) as HistoryEntry)
  }
  return { clock, reads, readPage: createEventPages({ store: { readEvents }, clock }) }
}

test('a full page is read and formatted once for all clients that ask at about the same time', async () => {
  const { clock, reads, readPage } = create(10)
  const first = await readPage(0, 5)
  expect(await readPage(0, 5)).toBe(first)
  expect([first.map(({ entry }) => entry.eventId), reads]).toEqual([[1, 2, 3, 4, 5], [0]])
  await clock.advance(1_000)
  await readPage(0, 5)
  expect(reads).toEqual([0, 0])
})

test('a page that may still get more is read each time', async () => {
  const { reads, readPage } = create(7)
  await readPage(5, 5)
  await readPage(5, 5)
  expect(reads).toEqual([5, 5])
})

test('only so many pages are kept', async () => {
  const { reads, readPage } = create(100)
  for (let after = 0; after < 65; after++) await readPage(after, 5)
  await readPage(63, 5)
  await readPage(64, 5)
  expect(reads).toHaveLength(66)
})
