/**
 * A TCP port that forwards to another one, and can drop connections, change its target, or go silent like a cut cable.
 */
import { connect, createServer, type Server, type Socket } from 'node:net'
import { findFreePort } from '../../packages/dev/src/free-port.ts'

export interface Target {
  readonly host: string
  readonly port: number
}

export interface TcpRelay {
  readonly port: number
  open(): Promise<void>
  close(): Promise<void>
  /** Forwards to this target from now on; open connections break. */
  redirect(to: Target): void
  /** Nothing passes until `resume`, without an error; what was sent meanwhile arrives then. */
  hang(): void
  resume(): void
}

export async function createTcpRelay(first: Target): Promise<TcpRelay> {
  const port = await findFreePort()
  const sockets = new Set<Socket>()
  let target = first
  let isHung = false
  /** Their other end is gone, which they notice once the relay resumes. */
  let bereaved: Socket[] = []

  function forward(from: Socket, to: Socket): void {
    sockets.add(from)
    if (isHung) from.pause()
    from.on('data', (chunk) => {
      if (!to.write(chunk)) from.pause()
    })
    to.on('drain', () => {
      if (!isHung) from.resume()
    })
    from.on('error', () => from.destroy())
    from.on('close', () => {
      sockets.delete(from)
      if (isHung) bereaved.push(to)
      else to.destroySoon()
    })
  }

  const server: Server = createServer((incoming) => {
    const outgoing = connect(target)
    forward(incoming, outgoing)
    forward(outgoing, incoming)
  })

  function resume(): void {
    isHung = false
    for (const socket of bereaved) socket.destroy()
    bereaved = []
    for (const socket of sockets) socket.resume()
  }

  return {
    port,
    open: () => new Promise((resolve) => server.listen(port, '127.0.0.1', resolve)),
    close: async () => {
      for (const socket of sockets) socket.destroy()
      if (server.listening) await new Promise<void>((resolve) => server.close(() => resolve()))
    },
    redirect: (to) => {
      target = to
      for (const socket of sockets) socket.destroy()
    },
    hang: () => {
      isHung = true
      for (const socket of sockets) socket.pause()
    },
    resume,
  }
}
