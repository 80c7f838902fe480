import { expect, test } from 'vitest'
import type { HistoryEntry } from '../../ports/history.ts'
import type { Notice } from '../../ports/notice.ts'
import { StoreUnavailable } from '../../ports/store.ts'
import { createFollowedEvents } from './follow-events.ts'

/** A stream that a test appends to. Events up to `deleted` are gone. */
function openStream(count: number, deleted = 0) {
  const listeners = new Set<(notice: Notice) => void>()
  const pauses: (() => void)[] = []
  let [last, isAway, reads] = [count, false, 0]
  const entryOf = (eventId: number) =>
    ({ eventId, lane: { chainId: 1, signer: `0x${'11'.repeat(20)}` }, detail: {}, at: 0, lastAt: 0 }) as HistoryEntry
  const events = createFollowedEvents({
    store: {
      listen: (listener) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
      findLastEventId: async () => last,
      readEvents: async (after, limit) => {
        reads += 1
        if (isAway) throw new StoreUnavailable('away')
        const from = Math.max(after, deleted)
        return Array.from({ length: Math.max(0, Math.min(limit, last - from)) }, (_, index) =>
          entryOf(from + 1 + index),
        )
      },
    },
    clock: {
      schedule: (_, run) => {
        pauses.push(run)
        return () => pauses.splice(pauses.indexOf(run), 1)
      },
    },
    telemetry: { log: () => undefined },
  })
  return {
    ...events,
    reads: () => reads,
    setAway: (away: boolean) => {
      isAway = away
    },
    append: (more: number) => {
      last += more
      for (const listener of listeners) listener({ type: 'events.appended' } as Notice)
    },
    isPaused: () => pauses.length > 0,
    endPauses: () => {
      for (const run of pauses.splice(0)) run()
    },
  }
}

async function take(events: AsyncGenerator<{ readonly eventId: number }>, count: number): Promise<readonly number[]> {
  const seen: number[] = []
  while (seen.length < count) {
    const { value, done } = await events.next()
    if (done === true) break
    seen.push(value.eventId)
  }
  return seen
}

const idsUpTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1)

test('every event once, in order: those of many pages, and those that come later', async () => {
  const stream = openStream(450)
  const events = stream.read()
  expect(await take(events, 450)).toEqual(idsUpTo(450))
  const next = take(events, 3)
  stream.append(3)
  expect(await next).toEqual([451, 452, 453])
})

test('after a cursor; or only what is new', async () => {
  const stream = openStream(10)
  expect(await take(stream.read({ after: 8 }), 2)).toEqual([9, 10])
  const next = take(stream.read({ after: 'latest' }), 1)
  await new Promise(setImmediate)
  stream.append(1)
  expect(await next).toEqual([11])
})

test('events that were deleted are passed over, without asking again and again', async () => {
  const stream = openStream(500, 500)
  const next = take(stream.read(), 1)
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  expect(stream.reads()).toBeLessThan(6)
  stream.append(1)
  expect(await next).toEqual([501])
})

test('an outage delays the loop, and does not end it', async () => {
  const stream = openStream(2)
  stream.setAway(true)
  const next = take(stream.read(), 2)
  while (!stream.isPaused()) await new Promise(setImmediate)
  stream.setAway(false)
  stream.endPauses()
  expect(await next).toEqual([1, 2])
})

test('a signal ends one loop, close ends all', async () => {
  const stream = openStream(0)
  const leave = new AbortController()
  const [one, other] = [take(stream.read({ signal: leave.signal }), 1), take(stream.read(), 1)]
  leave.abort()
  expect(await one).toEqual([])
  stream.close()
  expect(await other).toEqual([])
  expect(await take(stream.read(), 1)).toEqual([])
})
