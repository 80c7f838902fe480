/**
 * Connections begin and end in turns. To read a first request and find out whose it is takes the thread a fraction of a
 * millisecond, and so does everything that ends with a connection. Thousands that open or close at once would hold up
 * everybody for as long as all of them take together. So about one has its turn per millisecond, and callers take turns.
 * Connections that are open are not affected.
 */
import type { Clock } from '../../ports/clock.ts'

export interface ConnectionTurns {
  /** Calls `start` at once or in the turn of its line, unless the returned function is called before. */
  enter(line: string, start: () => void): () => void
  /** Starts all that wait, and later ones at once. */
  close(): void
}

/** This many take about a quarter of the thread on a slow machine. */
const PER_MS = 1
/** May start at once. */
const BURST = 16
const LOOK_EVERY_MS = 1

/** If more than `maxWaiting` wait, the next start at once: nobody is refused. */
export function createConnectionTurns(
  clock: Pick<Clock, 'monotonic' | 'schedule'>,
  maxWaiting: number,
): ConnectionTurns {
  /** Whoever had a turn moves to the end. */
  const lines = new Map<string, Set<() => void>>()
  let waiting = 0
  let room = BURST
  let countedAt = clock.monotonic()
  let isLooking = false
  let isClosed = false

  function count(): void {
    const now = clock.monotonic()
    // A thread that is late does not catch up: that would make it later.
    room = Math.min(BURST, room + (now - countedAt) * PER_MS)
    countedAt = now
  }

  function leave(name: string, start: () => void): boolean {
    const line = lines.get(name)
    if (line?.delete(start) !== true) return false
    if (line.size === 0) lines.delete(name)
    waiting -= 1
    return true
  }

  function startNext(): void {
    for (const [name, line] of lines) {
      for (const start of line) {
        lines.delete(name)
        lines.set(name, line)
        leave(name, start)
        start()
        return
      }
    }
  }

  function look(): void {
    if (isLooking || waiting === 0) return
    isLooking = true
    clock.schedule(LOOK_EVERY_MS, () => {
      isLooking = false
      count()
      try {
        for (; room >= 1 && waiting > 0; room -= 1) startNext()
      } finally {
        look()
      }
    })
  }

  return {
    enter(name, start) {
      count()
      const isNext = waiting === 0 && room >= 1
      if (isNext || waiting >= maxWaiting || isClosed) {
        if (isNext) room -= 1
        start()
        return () => {}
      }
      const line = lines.get(name) ?? new Set()
      lines.set(name, line)
      line.add(start)
      waiting += 1
      look()
      return () => void leave(name, start)
    },
    close() {
      isClosed = true
      while (waiting > 0) startNext()
    },
  }
}
