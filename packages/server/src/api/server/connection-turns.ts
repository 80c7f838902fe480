/**
 * Connections begin and end in turns. To read a first request and find out whose it is takes the thread a fraction of a
 * millisecond, and so does everything that ends with a connection. Thousands that open or close at once would hold up
 * everybody for as long as all of them take together. So about one has its turn per millisecond, and callers take turns.
 * While other tenants are active, a caller has fewer turns. Connections that are open are not affected.
 */
import type { Clock } from '../../ports/clock.ts'

export interface ConnectionTurns {
  /** Calls `start` at once or in the turn of its line, unless the returned function is called before. */
  enter(line: string, connection: Turn): () => void
  /** Starts all that wait, and later ones at once. */
  close(): void
}

export interface Turn {
  start(): void
  /** Called instead if too many wait, and most of them in this line. Omitted: then it starts at once. */
  refuse?(): void
}

export interface ConnectionTurnsOptions {
  readonly clock: Pick<Clock, 'monotonic' | 'schedule'>
  readonly maxWaiting: number
  /** Tenants other than the caller with this line are active. */
  hasOthers?(line: string): boolean
}

/** How many may start now. */
interface Room {
  left: number
  countedAt: number
}

/** This many take about a quarter of the thread on a slow machine. */
const PER_MS = 1
/** Of one caller, while other tenants are active. */
const PER_MS_BESIDE_OTHERS = 0.2
/** May start at once. */
const BURST = 16
const LOOK_EVERY_MS = 1
/** Of those that wait, per look. A thread with much to do looks less often, so it starts fewer. */
const MAX_PER_LOOK = 2
/** Callers whose room is remembered. */
const MAX_ROOMS = 1_000

export function createConnectionTurns({
  clock,
  maxWaiting,
  hasOthers = () => false,
}: ConnectionTurnsOptions): ConnectionTurns {
  /** Whoever had a turn moves to the end. */
  const lines = new Map<string, Set<() => void>>()
  const all = createRoom()
  const rooms = new Map<string, Room>()
  let waiting = 0
  let isLooking = false
  let isClosed = false

  function createRoom(): Room {
    return { left: BURST, countedAt: clock.monotonic() }
  }

  function roomOf(name: string): Room {
    const room = rooms.get(name) ?? createRoom()
    rooms.delete(name)
    rooms.set(name, room)
    const [oldest] = rooms.keys()
    if (rooms.size > MAX_ROOMS && oldest !== undefined) rooms.delete(oldest)
    return room
  }

  function count(room: Room, perMs: number): number {
    const now = clock.monotonic()
    room.left = Math.min(BURST, room.left + (now - room.countedAt) * perMs)
    room.countedAt = now
    return room.left
  }

  /** Takes a place, if there is one. */
  function take(name: string): boolean {
    const own = roomOf(name)
    if (count(own, hasOthers(name) ? PER_MS_BESIDE_OTHERS : PER_MS) < 1 || count(all, PER_MS) < 1) return false
    all.left -= 1
    own.left -= 1
    return true
  }

  function leave(name: string, start: () => void): void {
    const line = lines.get(name)
    if (line?.delete(start) !== true) return
    if (line.size === 0) lines.delete(name)
    waiting -= 1
  }

  function startFirst(name: string, line: Set<() => void>): void {
    const [start] = line
    if (start === undefined) return
    lines.delete(name)
    lines.set(name, line)
    leave(name, start)
    start()
  }

  function startNext(): void {
    if (count(all, PER_MS) < 1) return
    for (const [name, line] of lines) {
      if (!take(name)) continue
      startFirst(name, line)
      return
    }
  }

  function look(): void {
    if (isLooking || waiting === 0) return
    isLooking = true
    clock.schedule(LOOK_EVERY_MS, () => {
      isLooking = false
      try {
        // A thread that is late does not catch up: that would make it later.
        for (let left = MAX_PER_LOOK; left > 0; left -= 1) startNext()
      } finally {
        look()
      }
    })
  }

  function isLongest(name: string): boolean {
    const own = lines.get(name)?.size ?? 0
    return [...lines.values()].every(({ size }) => size <= own)
  }

  return {
    enter(name, { start, refuse }) {
      const isFull = waiting >= maxWaiting
      if (isFull && refuse !== undefined && isLongest(name)) {
        refuse()
        return () => {}
      }
      if (isFull || isClosed || (!lines.has(name) && take(name))) {
        start()
        return () => {}
      }
      const line = lines.get(name) ?? new Set()
      lines.set(name, line)
      line.add(start)
      waiting += 1
      look()
      return () => leave(name, start)
    },
    close() {
      isClosed = true
      while (waiting > 0) for (const [name, line] of lines) startFirst(name, line)
    },
  }
}
