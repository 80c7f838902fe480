/**
 * Finds unused TCP ports on the loopback address. Only ports below 32768 are offered: Linux hands out higher ones to
 * outgoing connections, so a server that restarts on such a port may find it taken by its own client.
 */
import { createServer } from 'node:net'
import { DevSetupError } from './dev-setup-error.ts'
import { errorCode } from './error-code.ts'

const LOWEST_PORT = 20_000
const HIGHEST_PORT = 32_767
const HOST = '127.0.0.1'
const MAX_TRIES = 200

export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', (error) => {
      const code = errorCode(error)
      if (code === 'EADDRINUSE' || code === 'EACCES') resolve(false)
      else reject(error)
    })
    probe.listen({ host: HOST, port, exclusive: true }, () => probe.close(() => resolve(true)))
  })
}

/** A random port rather than the first free one, so that processes starting together seldom choose the same. */
export async function findFreePort(): Promise<number> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const port = LOWEST_PORT + Math.floor(Math.random() * (HIGHEST_PORT - LOWEST_PORT + 1))
    if (await isPortFree(port)) return port
  }
  throw new DevSetupError(`No free port between ${LOWEST_PORT} and ${HIGHEST_PORT} on ${HOST}: stop what holds them.`)
}

/** The first free port at or above `from`: `drover dev` stays at the port people expect where it can. */
export async function findFreePortFrom(from: number): Promise<number> {
  for (let port = from; port < from + MAX_TRIES && port <= 65_535; port += 1) {
    if (await isPortFree(port)) return port
  }
  throw new DevSetupError(`No free port from ${from} upwards on ${HOST}: stop what holds them or name another port.`)
}
