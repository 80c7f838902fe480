/** Classifies what PostgreSQL and its driver throw: unavailable for now, refused because of the content, or our bug. */
import { DatabaseError } from 'pg'
import { StoreUnavailable } from '../../ports/store.ts'

/** SQLSTATE classes that mean "not now": a retry later, perhaps on another server, may work. */
const UNAVAILABLE_CLASSES = new Set([
  '08', // connection exceptions
  '40', // serialisation failure, deadlock
  '53', // out of connections, memory or disk
  '55', // lock not available
  '57', // shutdown, failover, cancelled by time-out
  '58', // input or output failed under the server
])

const UNAVAILABLE_CODES = new Set([
  '25006', // read-only: a standby, or a primary that was demoted
  '25P03', // our own idle-in-transaction time-out
  '25P04', // transaction time-out
])

/** Classes that blame the content: 22 data exception, 23 constraint, 54 larger than an index or row may be. */
const REFUSED_CLASSES = new Set(['22', '23', '54'])

export function isRefusal(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && REFUSED_CLASSES.has(error.code?.slice(0, 2) ?? '')
}

/** Never the server's `detail`, which quotes whole rows. */
export function describeRefusal(error: DatabaseError): string {
  return [error.code, error.constraint, error.message].filter((part) => part !== undefined).join(' ')
}

/** The server took too long over one statement, or was told to cancel it. It answers all the same. */
const QUERY_CANCELED = '57014'

/** The server itself is down, not just busy: no connection, or one that it has closed. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return true
  return error.code !== QUERY_CANCELED && ['08', '57', '58'].includes(error.code?.slice(0, 2) ?? '')
}

/** What to throw instead: `StoreUnavailable` if a retry can help, otherwise the error itself. */
export function translateError(error: unknown): unknown {
  if (error instanceof StoreUnavailable) return error
  if (error instanceof DatabaseError) {
    const code = error.code ?? ''
    if (!UNAVAILABLE_CLASSES.has(code.slice(0, 2)) && !UNAVAILABLE_CODES.has(code)) return error
    return new StoreUnavailable(`the database cannot respond now (${code}): ${error.message}`, { cause: error })
  }
  // The driver reports lost connections and its own time-outs as plain errors; a TypeError is a mistake in this program.
  if (!(error instanceof Error) || error instanceof TypeError || error instanceof RangeError) return error
  return new StoreUnavailable(`the database cannot be reached: ${error.message || 'connection failed'}`, {
    cause: error,
  })
}
