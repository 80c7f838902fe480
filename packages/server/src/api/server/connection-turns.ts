/**
 * New connections begin in turns. To read a first request and find out whose it is takes the thread a fraction of a
 * millisecond, and until then nobody knows which tenant pays for it. Thousands that open at once would hold up everybody
 * for as long as all of them take together. So about one begins per millisecond, and the addresses that they come from
 * take turns. Connections that have begun are not affected.
 */
import type { Server } from 'node:http'
import { isIPv6, type Socket } from 'node:net'
import type { Clock } from '../../ports/clock.ts'

export interface ConnectionTurns {
  /** Calls `begin` at once or in its turn, unless the returned function is called before. */
  enter(address: string, begin: () => void): () => void
  /** Begins all that wait. */
  close(): void
}

/** Beginning this many takes about a quarter of the thread on a slow machine. */
const PER_MS = 1
/** May begin at once. */
const BURST = 16
const LOOK_EVERY_MS = 1
/** Each may hold 80 KiB that it sent. If more wait, the next begin at once: nobody is refused. */
const MAX_WAITING = 2_000

export function createConnectionTurns(clock: Pick<Clock, 'monotonic' | 'schedule'>): ConnectionTurns {
  /** By address; whoever had a turn moves to the end. */
  const lines = new Map<string, Set<() => void>>()
  let waiting = 0
  let room = BURST
  let countedAt = clock.monotonic()
  let isLooking = false

  function count(): void {
    const now = clock.monotonic()
    room = Math.min(BURST, room + (now - countedAt) * PER_MS)
    countedAt = now
  }

  function leave(address: string, begin: () => void): boolean {
    const line = lines.get(address)
    if (line?.delete(begin) !== true) return false
    if (line.size === 0) lines.delete(address)
    waiting -= 1
    return true
  }

  function beginNext(): void {
    for (const [address, line] of lines) {
      for (const begin of line) {
        lines.delete(address)
        lines.set(address, line)
        leave(address, begin)
        begin()
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
        for (; room >= 1 && waiting > 0; room -= 1) beginNext()
      } finally {
        look()
      }
    })
  }

  return {
    enter(address, begin) {
      count()
      const isNext = waiting === 0 && room >= 1
      if (isNext || waiting >= MAX_WAITING) {
        if (isNext) room -= 1
        begin()
        return () => {}
      }
      const line = lines.get(address) ?? new Set()
      lines.set(address, line)
      line.add(begin)
      waiting += 1
      look()
      return () => void leave(address, begin)
    },
    close() {
      while (waiting > 0) beginNext()
    },
  }
}

/**
 * A connection waits for its turn when its first bytes arrive, not when it is opened. Returns what ends connections that
 * have sent nothing: the server does not know them, and would wait for them when it closes.
 */
export function beginInTurns(server: Server, turns: ConnectionTurns): () => void {
  const own = server.listeners('connection') as ((socket: Socket) => void)[]
  const silent = new Set<Socket>()
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    let leave = (): void => {}
    const giveUp = (): void => void socket.destroy()
    const forget = (): void => {
      silent.delete(socket)
      leave()
    }
    const begin = (): void => {
      socket.setTimeout(0)
      socket.off('timeout', giveUp)
      socket.off('error', giveUp)
      socket.off('end', giveUp)
      socket.off('close', forget)
      for (const listen of own) listen.call(server, socket)
      socket.resume()
    }
    silent.add(socket)
    // As the server does with a connection that stays silent.
    socket.setTimeout(server.headersTimeout, giveUp)
    socket.on('error', giveUp)
    socket.once('end', giveUp)
    socket.once('close', forget)
    socket.once('data', (first: Buffer) => {
      silent.delete(socket)
      socket.pause()
      socket.unshift(first)
      leave = turns.enter(networkOf(socket.remoteAddress ?? ''), begin)
    })
  })
  return () => {
    for (const socket of silent) socket.destroy()
  }
}

/** The address, or the /64 network of an IPv6 address: who has one of its addresses usually has all. */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address
  const [head = '', tail = ''] = address.split('::')
  const [left, right] = [head.split(':').filter(Boolean), tail.split(':').filter(Boolean)]
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0')
  return [...left, ...zeros, ...right].slice(0, 4).join(':')
}
