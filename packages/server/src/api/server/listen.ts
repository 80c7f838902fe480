/** Opens the server to clients at one address. */
import type { FastifyInstance } from 'fastify'

/**
 * New connections that the system keeps for the server. Beyond that it drops them, and a client tries again after a
 * second, then two, then four. Node's default of 511 is what one client opens at once. Linux allows 4,096.
 */
const BACKLOG = 4_096

/** The address is not available. The message says what to do. */
class AddressUnavailable extends Error {
  override readonly name = 'AddressUnavailable'
}

/** Returns the URL it listens on. Port 0 picks a free port. */
export async function listen(
  server: FastifyInstance,
  at: { readonly host: string; readonly port: number },
): Promise<string> {
  try {
    return await server.listen({ ...at, backlog: BACKLOG })
  } catch (error) {
    throw describeListenError(error, at)
  }
}

/** The error to throw if the server cannot listen on an address. */
export function describeListenError(error: unknown, at: { readonly host: string; readonly port: number }): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : null
  if (code === 'EADDRINUSE') {
    const message = `port ${at.port} on ${at.host} is used by another program; choose another port with --port or DROVER_PORT`
    return new AddressUnavailable(message, { cause: error })
  }
  if (code === 'EACCES') {
    return new AddressUnavailable(
      `port ${at.port} on ${at.host} cannot be opened by this user; choose a port above 1023 with --port or DROVER_PORT`,
      { cause: error },
    )
  }
  return error
}
