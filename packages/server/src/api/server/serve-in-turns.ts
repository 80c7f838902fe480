/** Lets the connections of an HTTP server begin and end in turns. */
import type { Server } from 'node:http'
import { isIPv6, type Socket } from 'node:net'
import type { ConnectionTurns, Line } from './connection-turns.ts'

export interface ServeTurns {
  readonly begins: ConnectionTurns
  readonly ends: ConnectionTurns
  /** The tenant of a caller that was authenticated before. Null if it was not, or not lately. */
  recognize(authorization: string): string | null
  /** A connection was closed because too many wait. */
  onRefused?(): void
}

/** What tells a server that a connection has ended. Freeing all that belongs to it is what takes time. */
const ENDS: ReadonlySet<string | symbol> = new Set(['end', 'error', 'close'])
/** Nothing in it can match in two ways, or long lines of spaces would take seconds. */
const AUTHORIZATION = /\r\nauthorization:[ \t]*([^ \t\r\n][^\r\n]{0,199})\r\n/i
/** Load balancers ask for it on new connections, and take a node out that does not answer within a second. */
const HEALTH = /^(?:GET|HEAD) \/(?:healthz|readyz)[ ?]/
/** Headers may be this long. */
const MAX_HEAD_BYTES = 16 * 1024
/** Of what arrives before the turn. Then the connection is no longer watched: it reads until its buffer is full. */
const MAX_CHUNKS = 2
/** Of connections that end before they have sent anything. */
const SILENT: Line = { group: 'silent', name: '' }

/**
 * A connection waits for its turn when its first bytes arrive, not when it is opened. Returns what ends connections that
 * have sent nothing: the server does not know them, and would wait for them when it closes.
 */
export function serveInTurns(server: Server, turns: ServeTurns): () => void {
  const own = server.listeners('connection') as ((socket: Socket) => void)[]
  const silent = new Set<Socket>()
  const begun = new WeakSet<Socket>()
  const serve = (socket: Socket): void => {
    for (const listen of own) listen.call(server, socket)
  }
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    // An open connection is given back to the server after it has offered another protocol.
    if (begun.has(socket)) return serve(socket)
    const arrived: Buffer[] = []
    let chunks = 0
    let leave = (): void => {}
    let line = SILENT
    let isEnding = false
    const giveUp = endInTurn(socket, {
      turns: turns.ends,
      line: () => line,
      onEnding: () => {
        isEnding = true
        silent.delete(socket)
        leave()
      },
    })
    const start = (): void => {
      begun.add(socket)
      for (const event of ['error', 'end']) socket.off(event, giveUp)
      giveBack()
      serve(socket)
      socket.resume()
    }
    const refuse = (): void => {
      turns.onRefused?.()
      socket.destroy()
    }
    const giveBack = (): void => {
      socket.off('data', receive)
      socket.pause()
      if (arrived.length > 0) socket.unshift(Buffer.concat(arrived.splice(0)))
    }
    const enter = (): void => {
      if (socket.destroyed || isEnding) return
      leave()
      const more = chunks < MAX_CHUNKS ? 0 : socket.readableHighWaterMark
      leave = turns.begins.enter(line, { bytes: socket.readableLength + more, start, refuse })
      if (!begun.has(socket) && chunks < MAX_CHUNKS) watch()
    }
    /** Only who reads notices when a client goes. */
    const watch = (): void => {
      const buffered = socket.read() as Buffer | null
      if (buffered !== null) arrived.push(buffered)
      socket.on('data', receive)
      socket.resume()
    }
    const receive = (chunk: Buffer): void => {
      chunks += 1
      arrived.push(chunk)
      giveBack()
      // Not within this event: the server would read on from a client that sends more than anybody reads.
      process.nextTick(enter)
    }
    silent.add(socket)
    // As the server does with a connection that stays silent.
    socket.setTimeout(server.headersTimeout, giveUp)
    socket.on('error', giveUp)
    socket.once('end', giveUp)
    socket.once('data', (first: Buffer) => {
      silent.delete(socket)
      // From here on, it is not the client that takes long.
      socket.setTimeout(0)
      socket.off('timeout', giveUp)
      line = findLine(first, socket, turns)
    })
    socket.on('data', receive)
  })
  return () => {
    for (const socket of silent) socket.destroy()
  }
}

/**
 * The line of its tenant, if the caller is known: behind a proxy, everybody has the same address. Only a caller with the
 * whole key gets there. The line of its network, if it is not.
 */
function findLine(first: Buffer, socket: Socket, { recognize }: ServeTurns): Line {
  const head = first.toString('latin1', 0, MAX_HEAD_BYTES)
  if (HEALTH.test(head)) return { group: 'health', name: networkOf(socket.remoteAddress ?? '') }
  const authorization = AUTHORIZATION.exec(head)?.[1]
  const tenant = authorization === undefined ? null : recognize(authorization.trimEnd())
  if (tenant !== null) return { group: 'tenant', name: tenant }
  // The address costs a call to the system.
  return { group: 'network', name: networkOf(socket.remoteAddress ?? '') }
}

interface Ending {
  readonly turns: ConnectionTurns
  line(): Line
  /** It ends, and waits for its turn. */
  onEnding(): void
}

/** Returns what ends the connection, in its turn. What happens to it after its turn is passed on at once. */
function endInTurn(socket: Socket, { turns, line, onEnding }: Ending): () => void {
  const emit = socket.emit.bind(socket) as (event: string | symbol, ...values: unknown[]) => boolean
  const destroy = socket.destroy.bind(socket)
  const held: (() => unknown)[] = []
  let hadTurn = false
  const pass = (): void => {
    hadTurn = true
    const next = held.shift()
    if (next === undefined) return
    try {
      withShortStacks(next)
    } finally {
      pass()
    }
  }
  const hold = (event: () => unknown): void => {
    held.push(event)
    if (held.length > 1) return
    onEnding()
    turns.enter(line(), { start: pass })
  }
  socket.emit = (event: string | symbol, ...values: unknown[]): boolean => {
    if (!ENDS.has(event)) return emit(event, ...values)
    if (hadTurn) return withShortStacks(() => emit(event, ...values))
    hold(() => emit(event, ...values))
    return true
  }
  socket.destroy = (error?: Error) => {
    if (hadTurn || error === undefined || !isReset(error)) return destroy(error)
    // To format it would take longer than all the rest. It says only that Node was reading.
    error.stack = error.message
    hold(() => destroy(error))
    return socket
  }
  return () => {
    if (hadTurn) destroy()
    else hold(() => destroy())
  }
}

/** The client, or something on the way to it, has ended the connection. */
function isReset({ code, syscall }: NodeJS.ErrnoException): boolean {
  return syscall === 'read' && (code === 'ECONNRESET' || code === 'ETIMEDOUT')
}

/** The server makes errors for all that belongs to the connection. Most of that time goes into stacks that nobody reads. */
function withShortStacks<T>(work: () => T): T {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 1
  try {
    return work()
  } finally {
    Error.stackTraceLimit = limit
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
