import { afterEach, expect, test } from 'vitest'
import type { EventResource } from '../api/api-resources.ts'
import { ALLOCATED_EVENT } from '../words/sample-resources.suite.ts'
import { createEventHub, type EventHub } from './event-hub.ts'

const START = Date.parse('2030-01-01T00:00:00.000Z')

function event(eventId: number, type = 'accepted', transactionId = `tx ${eventId}`, second = 0): EventResource {
  const at = new Date(START + second * 1_000).toISOString()
  return { ...ALLOCATED_EVENT, eventId, type, transactionId, at, lastAt: at }
}

const hubs: EventHub[] = []
afterEach(() => {
  for (const hub of hubs.splice(0)) hub.stop()
})

/** A hub whose streams are given one after the other; the last one never ends. */
function createHub(tail: readonly EventResource[], ...streams: readonly (readonly EventResource[])[]) {
  const opened: number[] = []
  let tell = () => {}
  let told = 0
  let settle = () => {}
  const isDone = new Promise<void>((resolve) => {
    settle = resolve
  })
  const hub = createEventHub({
    readTail: async () => ({ items: tail, next: tail.at(-1)?.eventId ?? 0 }),
    async *follow(after, signal) {
      const stream = streams[opened.length]
      opened.push(after)
      if (stream === undefined) {
        settle()
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        return
      }
      yield* stream
      throw new Error('cut off')
    },
    schedule: (_, run) => {
      tell = run
      return () => {}
    },
    awaitTurn: async () => {},
  })
  hub.onEvents(() => {
    told += 1
  })
  hubs.push(hub)
  hub.start()
  return { hub, opened, isDone, tell: () => tell(), told: () => told }
}

test('starts near the end, and goes on after a break with the event after the last', async () => {
  const { hub, opened, isDone } = createHub([event(7), event(8)], [event(9)], [event(10), event(11)])
  await isDone
  expect(opened).toEqual([8, 9, 11])
  expect(hub.recent().map(({ eventId }) => eventId)).toEqual([11, 10, 9, 8, 7])
  expect(hub.version()).toBe(5)
})

test('keeps a bounded number of events, and tells its listeners once for many', async () => {
  const { hub, isDone, tell, told } = createHub(
    [],
    Array.from({ length: 1_000 }, (_, index) => event(index + 1)),
  )
  await isDone
  expect(hub.recent()).toHaveLength(200)
  expect(told()).toBe(0)
  tell()
  expect(told()).toBe(1)
})

test('counts what was accepted and mined, and times it from acceptance', async () => {
  const { hub, isDone } = createHub(
    [],
    [
      event(1, 'accepted', 'a', 0),
      event(2, 'accepted', 'b', 0),
      event(3, 'inclusion.seen', 'a', 4),
      event(4, 'inclusion.seen', 'unknown', 4),
      event(5, 'finality.reached', 'a', 9),
    ],
  )
  await isDone
  const now = START + 9_000
  expect(hub.series.accepted.read(now, 10_000, 10)[0]).toBe(2)
  expect(hub.series.mined.read(now, 10_000, 10)[4]).toBe(2)
  expect(hub.series.toMined.read(now, 10_000, 10)[4]).toBe(4)
  expect(hub.series.toFinal.read(now, 10_000, 10)[9]).toBe(9)
})
