/**
 * JSON-RPC over WebSockets, on the same paths as over HTTP. A page of any origin can open a WebSocket to this machine
 * without a preflight, so a connection from an origin other than the service's own is refused on arrival.
 */
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import { CALLER_GONE, type Caller } from '../../core/access/caller.ts'
import { AppError } from '../../core/app-error.ts'
import { createTenantPool } from '../../engine/tenants/tenant-pool.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'
import { type Admission, admitUpgrade, refuseAsFull, type UpgradeDoor } from './admit-upgrade.ts'
import { ignoreUpgrade } from './ignore-upgrade.ts'
import { readInTurns } from './read-in-turns.ts'
import { CLOSE_CODES, type SocketPorts, serveSocket } from './serve-socket.ts'
import { countUnfinished } from './unfinished-message.ts'

export interface RpcSockets {
  attach(server: Server): void
  close(): void
}

interface SocketsPorts extends Omit<SocketPorts, 'heartbeatMs' | 'clock'> {
  readonly door: UpgradeDoor
  readonly maxSockets: number
  readonly sharePercent?: number
  /** Reports revoked keys. */
  readonly store: Pick<Store, 'listen'>
  readonly heartbeatMs?: number
  readonly clock: Pick<Clock, 'monotonic' | 'schedule'>
}

type Admitted = Extract<Admission, { readonly type: 'admitted' }>

const MAX_PAYLOAD_BYTES = 4 * 1024 * 1024
const GRACE_MS = 1_000
const RETRY_AFTER_MS = 5_000

export function createRpcSockets({
  maxSockets,
  sharePercent,
  heartbeatMs = 30_000,
  ...ports
}: SocketsPorts): RpcSockets {
  const { endpoint, door, clock, telemetry } = ports
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_PAYLOAD_BYTES,
    perMessageDeflate: false,
    autoPong: false,
  })
  /** Whose keys are being looked up. */
  let opening = 0
  let isClosed = false
  const pool = createTenantPool({
    what: 'WebSockets',
    size: maxSockets,
    sharePercent,
    retryAfterMs: RETRY_AFTER_MS,
    whenFull: () => new AppError('overloaded', 'Too many WebSockets are open. Retry later.'),
  })
  const rechecks = new Set<() => void>()
  /** A key was revoked, on any node: its connections end now, not at their next heartbeat. */
  const unlisten = ports.store.listen(({ type }) => {
    if (type === 'keys.changed' || type === 'gap') for (const recheck of [...rechecks]) recheck()
  })

  async function upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): Promise<void> {
    const isFull = isClosed || pool.used() + opening >= maxSockets
    opening++
    let isKnown = false
    const become = (): void => {
      if (!isKnown) opening--
      isKnown = true
    }
    const { resolveChain } = endpoint
    // In its turn, like any request: a flood of connections waits behind the tenant's other work.
    const enter = async ({ tenant }: Caller) => {
      become()
      let leave = (): void => {}
      const gone = signalClose(stream)
      try {
        leave = pool.enter(tenant)
        const endWork = await ports.work.begin(tenant, { gone })
        endWork?.()
        return leave
      } catch (error) {
        leave()
        await ports.work.untilRefusal(tenant, gone)
        throw error
      }
    }
    const asked = await admitUpgrade(request, { ...door, isFull, resolveChain, enter }).finally(become)
    if (asked.type === 'admitted') stream.once('close', asked.leave)
    // The service may have begun to stop while the key was looked up, and the client may have gone.
    const admitted = isClosed || stream.destroyed ? refuseAsFull() : asked
    if (stream.destroyed && asked.type === 'admitted') asked.leave()
    // Nothing reads from it any more: a client that does not hang up would keep it open, and the server from closing.
    if (admitted.type === 'refused') stream.end(admitted.answer, () => stream.destroy())
    else begin(request, stream, head, admitted)
  }

  function begin(request: IncomingMessage, stream: Duplex, head: Buffer, { chainId, caller }: Admitted): void {
    sockets.handleUpgrade(request, stream, head, (socket) => {
      gaugeCount()
      const spend = (ms: number): void => ports.work.spend(caller.tenant, ms)
      readInTurns({ stream, socket, clock, spend, untilDue: () => ports.work.spendWhenDue(caller.tenant, 0) })
      countUnfinished({ stream, socket, clock, enter: (bytes) => ports.bodies.enter(caller.tenant, bytes) })
      const { recheck } = serveSocket(socket, chainId, caller, { ...ports, heartbeatMs })
      rechecks.add(recheck)
      socket.on('close', () => {
        rechecks.delete(recheck)
        gaugeCount()
      })
    })
  }

  function gaugeCount(): void {
    telemetry.gauge('drover_rpc_sockets', sockets.clients.size)
  }

  return {
    attach(server) {
      server.on('upgrade', (request, stream, head) => {
        if (stream.destroyed) return
        if (request.headers.upgrade?.toLowerCase() !== 'websocket') {
          ignoreUpgrade(server, request, stream, head)
          return
        }
        stream.on('error', () => stream.destroy())
        upgrade(request, stream, head).catch((error: unknown) => {
          telemetry.log('error', 'could not open a WebSocket', { error: String(error) })
          stream.destroy()
        })
      })
    },
    close() {
      isClosed = true
      unlisten()
      for (const socket of sockets.clients) socket.close(CLOSE_CODES.away, 'Drover is stopping')
      clock.schedule(GRACE_MS, () => {
        for (const socket of sockets.clients) socket.terminate()
      })
    },
  }
}

function signalClose(stream: Duplex): AbortSignal {
  const controller = new AbortController()
  if (stream.destroyed) controller.abort(CALLER_GONE)
  else stream.once('close', () => controller.abort(CALLER_GONE))
  return controller.signal
}
