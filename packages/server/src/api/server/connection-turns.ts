/**
 * New connections begin in turns. To read a first request and find out whose it is takes the thread a fraction of a
 * millisecond, and until then nobody knows which tenant pays for it. Thousands that open at once would hold up everybody
 * for as long as all of them take together. So a few begin per millisecond, and the addresses that they come from take
 * turns. Connections that have begun are not affected.
 */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../../ports/clock.ts'

export interface ConnectionTurns {
  /** Calls `begin` at once or in its turn. False: too many wait, and it is not called. */
  enter(address: string, begin: () => void): boolean
  /** Begins all that wait. */
  close(): void
}

/** Together they take about a quarter of the thread on a slow machine. */
const PER_MS = 1
/** May begin at once. */
const BURST = 16
const LOOK_EVERY_MS = 1
/** Ten seconds of them. */
const MAX_WAITING = 10_000

export function createConnectionTurns(clock: Pick<Clock, 'monotonic' | 'schedule'>): ConnectionTurns {
  /** By address; whoever had a turn moves to the end. */
  const lines = new Map<string, Set<() => void>>()
  let waiting = 0
  let room = BURST
  let countedAt = clock.monotonic()
  let cancelLook = (): void => {}

  function count(): void {
    const now = clock.monotonic()
    room = Math.min(BURST, room + (now - countedAt) * PER_MS)
    countedAt = now
  }

  function beginNext(): void {
    for (const [address, line] of lines) {
      lines.delete(address)
      for (const begin of line) {
        line.delete(begin)
        if (line.size > 0) lines.set(address, line)
        waiting -= 1
        begin()
        return
      }
    }
  }

  function look(): void {
    cancelLook = clock.schedule(LOOK_EVERY_MS, () => {
      count()
      for (; room >= 1 && waiting > 0; room -= 1) beginNext()
      if (waiting > 0) look()
    })
  }

  return {
    enter(address, begin) {
      count()
      if (waiting === 0 && room >= 1) {
        room -= 1
        begin()
        return true
      }
      if (waiting >= MAX_WAITING) return false
      const line = lines.get(address) ?? new Set()
      lines.set(address, line)
      line.add(begin)
      waiting += 1
      if (waiting === 1) look()
      return true
    },
    close() {
      cancelLook()
      while (waiting > 0) beginNext()
    },
  }
}

/**
 * The server gets a connection in the turn of its first bytes, so one that is opened and used later counts when it is
 * used. Until then it costs little.
 */
export function beginInTurns(server: Server, turns: ConnectionTurns): void {
  const own = server.listeners('connection') as ((socket: Socket) => void)[]
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const giveUp = (): void => void socket.destroy()
    // As the server does with a connection that stays silent.
    socket.setTimeout(server.headersTimeout, giveUp)
    socket.on('error', giveUp)
    socket.once('end', giveUp)
    socket.once('data', (first: Buffer) => {
      socket.pause()
      socket.unshift(first)
      if (!turns.enter(networkOf(socket), begin)) socket.destroy()
    })

    function begin(): void {
      if (socket.destroyed) return
      socket.setTimeout(0)
      socket.off('timeout', giveUp)
      socket.off('error', giveUp)
      socket.off('end', giveUp)
      for (const listen of own) listen.call(server, socket)
      socket.resume()
    }
  })
}

/** The address, or the network of one that owns a whole network of addresses (IPv6). */
function networkOf({ remoteAddress = '' }: Socket): string {
  return remoteAddress.split(':').slice(0, 4).join(':')
}
