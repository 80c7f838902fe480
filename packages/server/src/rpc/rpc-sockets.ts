/**
 * JSON-RPC over WebSockets, on the same paths as over HTTP. A page of any origin can open a WebSocket to this machine
 * without asking first, so one that names another origin than the service's own is refused at the door.
 */
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import { type Admission, admitUpgrade, refuseAsFull, type UpgradeDoor } from './admit-upgrade.ts'
import { ignoreUpgrade } from './ignore-upgrade.ts'
import { CLOSE_CODES, type SocketPorts, serveSocket } from './serve-socket.ts'

export interface RpcSockets {
  attach(server: Server): void
  close(): void
}

interface SocketsPorts extends Omit<SocketPorts, 'heartbeatMs'> {
  readonly door: UpgradeDoor
  readonly maxSockets: number
  readonly heartbeatMs?: number
}

type Admitted = Extract<Admission, { readonly type: 'admitted' }>

const MAX_PAYLOAD_BYTES = 4 * 1024 * 1024
const GRACE_MS = 1_000

export function createRpcSockets({ maxSockets, heartbeatMs = 30_000, ...ports }: SocketsPorts): RpcSockets {
  const { endpoint, door, clock, telemetry } = ports
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_PAYLOAD_BYTES, perMessageDeflate: false })
  /** Whose keys are being looked up. */
  let opening = 0
  let isClosed = false

  async function upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): Promise<void> {
    const isFull = isClosed || sockets.clients.size + opening >= maxSockets
    opening++
    try {
      const asked = await admitUpgrade(request, { ...door, isFull, resolveChain: endpoint.resolveChain })
      // The service may have begun to stop while the key was looked up.
      const admitted = isClosed ? refuseAsFull() : asked
      // Nothing reads from it any more: a client that does not hang up would keep it open, and the server from closing.
      if (admitted.type === 'refused') stream.end(admitted.answer, () => stream.destroy())
      else begin(request, stream, head, admitted)
    } finally {
      opening--
    }
  }

  function begin(request: IncomingMessage, stream: Duplex, head: Buffer, { chainId, caller }: Admitted): void {
    sockets.handleUpgrade(request, stream, head, (socket) => {
      tellCount()
      socket.on('close', tellCount)
      serveSocket(socket, chainId, caller, { ...ports, heartbeatMs })
    })
  }

  function tellCount(): void {
    telemetry.gauge('drover_rpc_sockets', sockets.clients.size)
  }

  return {
    attach(server) {
      server.on('upgrade', (request, stream, head) => {
        if (request.headers.upgrade?.toLowerCase() !== 'websocket') {
          ignoreUpgrade(server, request, stream, head)
          return
        }
        stream.on('error', () => stream.destroy())
        upgrade(request, stream, head).catch((error: unknown) => {
          telemetry.log('error', 'a WebSocket could not be opened', { error: String(error) })
          stream.destroy()
        })
      })
    },
    close() {
      isClosed = true
      for (const socket of sockets.clients) socket.close(CLOSE_CODES.away, 'the service stops')
      clock.schedule(GRACE_MS, () => {
        for (const socket of sockets.clients) socket.terminate()
      })
    },
  }
}
