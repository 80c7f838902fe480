/**
 * Turns at the database, for heavy readers. The store has a few connections for everything, including the lanes. With
 * turns, a batch of a thousand look-ups, or lists that find little among much, leave the other tenants their share.
 */
import { AppError } from '../../core/app-error.ts'
import { createFairTurns, type FairTurns } from './fair-turns.ts'

/** The pool of the store has 10 connections. */
const MAX_RUNNING = 6
/** A message has only some of its calls waiting, and both messages and requests are bounded. */
const MAX_WAITING = 20_000
const MAX_IN_CROWD = 2
const RETRY_AFTER_MS = 1_000

/** `isCrowded`: several tenants are active, and each reads only a little at once. */
export function createReadTurns(options: { readonly sharePercent?: number; isCrowded?(): boolean } = {}): FairTurns {
  const { sharePercent, isCrowded = () => false } = options
  return createFairTurns({
    most: () => (isCrowded() ? MAX_IN_CROWD : MAX_RUNNING),
    what: 'reads of the database',
    maxRunning: MAX_RUNNING,
    maxWaiting: MAX_WAITING,
    sharePercent,
    whenFull: () => {
      const message = 'Too many requests are waiting for the database. Retry after the time given.'
      return new AppError('overloaded', message, { retryAfterMs: RETRY_AFTER_MS })
    },
  })
}
