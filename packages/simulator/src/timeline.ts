/**
 * Simulated time: one queue of everything that will happen, for all nodes, the chain and the database. Between two
 * moments everything that needs no time runs to its end, so that the order is the same every time.
 */
import { Violation } from './run/violation.ts'

export interface Timeline {
  /** Milliseconds since the simulation began. */
  now(): number
  /** Runs once at this time, or at once if that is past; returns a function that cancels it. */
  at(time: number, run: () => void): () => void
  advance(ms: number): Promise<void>
  /** Runs everything that needs no time. */
  settle(): Promise<void>
  /** How many moments there were. */
  fired(): number
}

interface Moment {
  readonly time: number
  readonly order: number
  run: (() => void) | null
}

/** More moments than this in one move mean an endless loop. */
const TOO_MANY = 50_000

export function createTimeline(): Timeline {
  const heap: Moment[] = []
  let time = 0
  let order = 0
  let fired = 0

  const isBefore = (a: Moment, b: Moment) => a.time < b.time || (a.time === b.time && a.order < b.order)

  function push(moment: Moment): void {
    let at = heap.length
    heap.push(moment)
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = heap[parent]
      if (above === undefined || !isBefore(moment, above)) break
      heap[at] = above
      at = parent
    }
    heap[at] = moment
  }

  function pop(): Moment | undefined {
    const first = heap[0]
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return first
    let at = 0
    for (;;) {
      const left = heap[2 * at + 1]
      const right = heap[2 * at + 2]
      const next = right !== undefined && left !== undefined && isBefore(right, left) ? right : left
      if (next === undefined || !isBefore(next, last)) break
      heap[at] = next
      at = next === left ? 2 * at + 1 : 2 * at + 2
    }
    heap[at] = last
    return first
  }

  return {
    now: () => time,
    at(when, run) {
      const moment: Moment = { time: Math.max(time, when), order: order++, run }
      push(moment)
      return () => {
        moment.run = null
      }
    },
    async advance(ms) {
      const until = time + ms
      await settle()
      const before = fired
      for (let next = heap[0]; next !== undefined && next.time <= until; next = heap[0]) {
        pop()
        if (next.run === null) continue
        if (fired - before > TOO_MANY)
          throw new Violation('bug', `more than ${TOO_MANY} timers within ${ms} ms: a hot loop`)
        time = next.time
        fired++
        next.run()
        await settle()
      }
      time = until
    },
    settle,
    fired: () => fired,
  }
}

/** A turn of the event loop comes only after every promise that is ready; two turns, for what is handed on by one. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise<void>((resolve) => void setImmediate(resolve))
}
