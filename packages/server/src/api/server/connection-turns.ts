/**
 * Connections begin and end in turns. To read a first request and find out whose it is takes the thread a fraction of a
 * millisecond, and so does everything that ends with a connection. Thousands that open or close at once would hold up
 * everybody for as long as all of them take together. So about one has its turn per millisecond, and callers take turns.
 * While other tenants are active, a caller has its share of that. Connections that are open are not affected.
 */
import type { Clock } from '../../ports/clock.ts'

export interface ConnectionTurns {
  /** Calls `start` at once or in the turn of its line, unless the returned function is called before. */
  enter(line: Line, turn: Turn): () => void
  /** Starts all that wait, and later ones at once. */
  close(): void
}

/** Who waits. Groups take turns, and so do the lines of a group: thousands of strangers have as many turns as one tenant. */
export interface Line {
  readonly group: 'tenant' | 'network' | 'health' | 'silent'
  readonly name: string
}

export interface Turn {
  /** What is kept in memory until then. */
  readonly bytes?: number
  start(): void
  /** Called instead if too much waits, unless the line is that of a tenant and others are longer. Omitted: then it starts. */
  refuse?(): void
}

export interface ConnectionTurnsOptions {
  readonly clock: Pick<Clock, 'monotonic' | 'schedule'>
  readonly maxWaiting: number
  readonly maxBytes?: number
  /** Which part of the turns this line may have. Omitted: all. */
  shareOf?(line: Line): number
}

/** How many may start now. */
interface Room {
  left: number
  countedAt: number
}

type Lines = Map<string, Set<Turn>>

/** This many take about a quarter of the thread on a slow machine. */
const PER_MS = 1
/** May start at once. */
const BURST = 16
const LOOK_EVERY_MS = 1
/** Of those that wait, per look: a thread that is late does not catch up, which would make it later. */
const MAX_PER_LOOK = 4
/** Callers whose room is remembered. */
const MAX_ROOMS = 1_000

export function createConnectionTurns(options: ConnectionTurnsOptions): ConnectionTurns {
  const { clock, maxWaiting, maxBytes = Number.POSITIVE_INFINITY, shareOf = () => 1 } = options
  /** Whoever had a turn moves to the end. */
  const groups = new Map<Line['group'], Lines>()
  const all = createRoom()
  const rooms = new Map<string, Room>()
  let waiting = 0
  let bytes = 0
  let isLooking = false
  let isClosed = false

  function createRoom(): Room {
    return { left: BURST, countedAt: clock.monotonic() }
  }

  function roomOf({ group, name }: Line): Room {
    const key = `${group} ${name}`
    const room = rooms.get(key) ?? createRoom()
    rooms.delete(key)
    rooms.set(key, room)
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
  function take(line: Line): boolean {
    const own = roomOf(line)
    if (count(own, PER_MS * shareOf(line)) < 1 || count(all, PER_MS) < 1) return false
    all.left -= 1
    own.left -= 1
    return true
  }

  function leave({ group, name }: Line, turn: Turn): void {
    const lines = groups.get(group)
    const line = lines?.get(name)
    if (line?.delete(turn) !== true) return
    if (line.size === 0) lines?.delete(name)
    if (lines?.size === 0) groups.delete(group)
    waiting -= 1
    bytes -= turn.bytes ?? 0
  }

  function startFirst(line: Line, turns: Set<Turn>): void {
    const [turn] = turns
    if (turn === undefined) return
    leave(line, turn)
    turn.start()
  }

  /** The next of the next group that has room. */
  function startNext(): void {
    if (count(all, PER_MS) < 1) return
    for (const [group, lines] of groups) {
      for (const [name, turns] of lines) {
        if (!take({ group, name })) continue
        moveToEnd(groups, group, lines)
        moveToEnd(lines, name, turns)
        startFirst({ group, name }, turns)
        return
      }
    }
  }

  function look(): void {
    if (isLooking || waiting === 0) return
    isLooking = true
    clock.schedule(LOOK_EVERY_MS, () => {
      isLooking = false
      try {
        for (let left = MAX_PER_LOOK; left > 0; left -= 1) startNext()
      } finally {
        look()
      }
    })
  }

  /** A tenant is not refused for what others do. */
  function mustYield({ group, name }: Line): boolean {
    const own = groups.get(group)?.get(name)?.size ?? 0
    return (
      group !== 'tenant' || [...groups.values()].every((lines) => [...lines.values()].every(({ size }) => size <= own))
    )
  }

  return {
    enter(line, turn) {
      const isFull = waiting >= maxWaiting || bytes + (turn.bytes ?? 0) > maxBytes
      if (isFull && !isClosed && turn.refuse !== undefined && mustYield(line)) {
        turn.refuse()
        return () => {}
      }
      const lines: Lines = groups.get(line.group) ?? new Map()
      if (isFull || isClosed || (!lines.has(line.name) && take(line))) {
        turn.start()
        return () => {}
      }
      groups.set(line.group, lines)
      lines.set(line.name, (lines.get(line.name) ?? new Set()).add(turn))
      waiting += 1
      bytes += turn.bytes ?? 0
      look()
      return () => leave(line, turn)
    },
    close() {
      isClosed = true
      while (waiting > 0)
        for (const [group, lines] of groups) for (const [name, turns] of lines) startFirst({ group, name }, turns)
    },
  }
}

function moveToEnd<K, V>(map: Map<K, V>, key: K, value: V): void {
  map.delete(key)
  map.set(key, value)
}
