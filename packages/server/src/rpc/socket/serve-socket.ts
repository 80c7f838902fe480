/**
 * One WebSocket connection. It lasts longer than a request, so its key is checked again with every message, every push of
 * a subscription and every heartbeat. A client that sends faster than it is answered, or than it reads its answers, is read more slowly. A client
 * that reads nothing between two heartbeats, leaves too much unread, or sends very many messages at once, is disconnected,
 * and can reconnect.
 */
import { setMaxListeners } from 'node:events'
import type { RawData, WebSocket } from 'ws'
import { CALLER_GONE, type Caller } from '../../core/access/caller.ts'
import { AppError, type AppErrorCode } from '../../core/app-error.ts'
import type { TenantPool } from '../../engine/tenants/tenant-pool.ts'
import type { UnreadBytes } from '../../engine/tenants/unread-bytes.ts'
import type { WorkTurns } from '../../engine/tenants/work-turns.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { JsonRpcServer } from '../json-rpc-server.ts'
import { RpcFailure } from '../rpc-failure.ts'
import type { UpgradeDoor } from './admit-upgrade.ts'
import { createCheckedPushes } from './checked-pushes.ts'
import { disconnect } from './disconnect.ts'
import { createSubscriptions } from './subscriptions.ts'

export interface SocketPorts {
  readonly endpoint: Omit<JsonRpcServer, 'close'>
  readonly door: Pick<UpgradeDoor, 'isAllowed' | 'readmit'>
  readonly clock: Pick<Clock, 'schedule'>
  readonly telemetry: Telemetry
  /** Bytes of messages that are being worked on, and of the bodies of requests. */
  readonly bodies: Pick<TenantPool, 'enter'>
  /** Bytes of answers that clients have not read yet. */
  readonly unread: UnreadBytes
  readonly work: Pick<WorkTurns, 'begin' | 'untilRefusal' | 'spend' | 'spendWhenDue'>
  readonly heartbeatMs: number
}

export const CLOSE_CODES = { away: 1001, forbidden: 1008, later: 1013 } as const
/** A client with more unread bytes than this gets nothing done until it reads. */
const MAX_UNREAD_BYTES = 1024 * 1024
const MAX_RUNNING = 100
/** What has arrived and waits until fewer are in progress: as much as fits into a packet, unless it is hardly more than nothing. */
const MAX_WAITING = 2_000
const LIMITS: ReadonlySet<AppErrorCode> = new Set(['rate_limited', 'tenant_limit', 'overloaded'])
/** Its ids have to be read for a refusal to be understood. More than this is work, and there was no turn for it. */
const MAX_REFUSED_CHARS = 256 * 1024
/** Reading this much takes the thread about a millisecond. */
const CHARS_PER_MS = 32 * 1024
/** A close frame has room for 123 bytes. */
const MAX_REASON_CHARS = 120

/** `recheck` ends it if its caller may no longer be served. */
export function serveSocket(
  socket: WebSocket,
  chainId: number,
  caller: Caller,
  ports: SocketPorts,
): { recheck(): void } {
  const { endpoint, telemetry, clock } = ports
  const fail = (reason: string): void => socket.close(CLOSE_CODES.later, reason)
  const forbid = (): void => socket.close(CLOSE_CODES.forbidden, 'the API key is no longer valid')
  const unread = ports.unread.open(caller.tenant, () => {
    telemetry.count('drover_unread_answers_total', { kind: 'websocket' })
    socket.terminate()
  })
  const isAllowed = () => ports.door.isAllowed(caller)
  // A short database outage ends no connection: each message is checked again, and pushes wait.
  const onFailure = (error: unknown): void =>
    telemetry.log('debug', 'could not look up an API key', { error: String(error) })
  const untilDue = (ms: number) => ports.work.spendWhenDue(caller.tenant, ms)
  const pushes = createCheckedPushes({ isAllowed, untilDue, send, forbid, hold: unread.add, onFailure, clock })
  const subscriptions = createSubscriptions(endpoint.sourcesOf(chainId, caller.tenant), { send: pushes.push, fail })
  const recheck = (): void =>
    void isAllowed().then((isStill) => {
      if (!isStill) forbid()
    }, onFailure)
  const stopBeating = keepBeating(socket, { ...ports, isBusy, recheck })
  const gone = new AbortController()
  // Each message that waits in line listens.
  setMaxListeners(MAX_RUNNING, gone.signal)
  const waiting: RawData[] = []
  let running = 0
  /** Refusals that wait for their turn, each with its message. */
  let refusing = 0

  function send(text: string): void {
    if (socket.readyState !== socket.OPEN) return
    const isRead = unread.add(Buffer.byteLength(text))
    socket.send(text, () => {
      isRead()
      readOn()
    })
    readOn()
  }

  function isBusy(): boolean {
    return running >= MAX_RUNNING || refusing > 0
  }

  function readOn(): void {
    if (isBusy() || unread.bytes() > MAX_UNREAD_BYTES) socket.pause()
    else if (socket.isPaused) socket.resume()
  }

  async function answerWithin(message: string, bytes: number): Promise<void> {
    const leave = ports.bodies.enter(caller.tenant, bytes)
    try {
      const endWork = await ports.work.begin(caller.tenant, { gone: gone.signal })
      if (endWork !== null) await answer(message).finally(endWork)
    } finally {
      leave()
    }
  }

  async function answer(message: string): Promise<void> {
    if (!(await ports.door.readmit(caller))) {
      forbid()
      return
    }
    const { methods, release } = subscriptions.begin()
    ports.work.spend(caller.tenant, message.length / CHARS_PER_MS)
    const text = await endpoint.answer(message, {
      chain: String(chainId),
      caller,
      idempotencyKey: null,
      own: methods,
      gone: gone.signal,
    })
    if (text !== null) send(text)
    release()
  }

  async function refuse(message: string, error: unknown): Promise<void> {
    const isLimit = error instanceof AppError && LIMITS.has(error.code)
    // The client is read more slowly meanwhile.
    if (isLimit) await untilRefusal()
    if (isLimit && message.length > MAX_REFUSED_CHARS) {
      fail(error.message.slice(0, MAX_REASON_CHARS))
      return
    }
    if (isLimit) {
      const text = endpoint.refuse(message, new RpcFailure('limit_exceeded', error.message))
      if (text !== null) send(text)
      return
    }
    // The caller cannot be authenticated now, so nothing is answered. A new connection is admitted as soon as possible.
    telemetry.log('warn', 'WebSocket message not answered', { error: String(error) })
    fail('try again later')
  }

  async function untilRefusal(): Promise<void> {
    refusing++
    readOn()
    await ports.work.untilRefusal(caller.tenant, gone.signal)
    refusing--
  }

  async function take(data: RawData): Promise<void> {
    running++
    readOn()
    const message = data.toString()
    await answerWithin(message, Buffer.byteLength(message)).catch((error: unknown) => refuse(message, error))
    running--
    while (waiting.length > 0 && !isBusy()) void take(waiting.shift() as RawData)
    if (waiting.length === 0) readOn()
  }

  function arrive(data: RawData): void {
    if (waiting.length === 0 && !isBusy()) void take(data)
    else if (waiting.length < MAX_WAITING) waiting.push(data)
    else if (socket.readyState === socket.OPEN) disconnect(socket, clock, 'too many messages at once: wait for answers')
  }

  // Some clients send their text in binary frames, and nodes read both alike.
  socket.on('message', arrive)
  // A frame that breaks the protocol; the library closes the connection by itself.
  socket.on('error', (error) => telemetry.log('debug', 'WebSocket failed', { error: error.message }))
  socket.on('close', () => {
    gone.abort(CALLER_GONE)
    waiting.length = 0
    stopBeating()
    pushes.close()
    unread.close()
    subscriptions.close()
  })
  return { recheck }
}

/** Ends connections that no longer respond or are no longer allowed. */
function keepBeating(
  socket: WebSocket,
  ports: Pick<SocketPorts, 'clock' | 'heartbeatMs'> & { isBusy(): boolean; recheck(): void },
): () => void {
  const { clock, heartbeatMs } = ports
  let isAlive = true
  let cancel = clock.schedule(heartbeatMs, beat)

  function beat(): void {
    // One that is read more slowly because much is in progress cannot be heard to answer.
    if (!isAlive && !ports.isBusy()) {
      socket.terminate()
      return
    }
    isAlive = false
    socket.ping()
    ports.recheck()
    cancel = clock.schedule(heartbeatMs, beat)
  }

  socket.on('pong', () => {
    isAlive = true
  })
  return () => cancel()
}
