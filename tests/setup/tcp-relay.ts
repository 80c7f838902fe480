/** A TCP port that leads to another one, once it is opened: whatever is behind it can be away at first. */
import { connect, createServer, type Server, type Socket } from 'node:net'
import { findFreePort } from '../../packages/dev/src/free-port.ts'

export interface TcpRelay {
  readonly port: number
  open(): Promise<void>
  close(): Promise<void>
}

export async function createTcpRelay(to: { readonly host: string; readonly port: number }): Promise<TcpRelay> {
  const port = await findFreePort()
  const sockets = new Set<Socket>()
  const server: Server = createServer((incoming) => {
    const outgoing = connect(to)
    for (const [socket, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  })
  return {
    port,
    open: () => new Promise((resolve) => server.listen(port, '127.0.0.1', resolve)),
    close: async () => {
      for (const socket of sockets) socket.destroy()
      if (server.listening) await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
