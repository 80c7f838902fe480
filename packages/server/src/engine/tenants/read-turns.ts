/**
 * Turns at the database, for heavy readers. The store has a few connections for everything, including the lanes. With
 * turns, a batch of a thousand look-ups, or lists that find little among much, leave the other tenants their share.
 *
 * Reading rows also takes time on the thread that everyone shares. While several tenants are active, each has one read
 * at a time, and rests after it for longer the more rows it got.
 */
import { AppError } from '../../core/app-error.ts'
import type { Clock } from '../../ports/clock.ts'
import { createFairTurns, type FairTurns } from './fair-turns.ts'

interface ReadTurnsOptions {
  readonly sharePercent?: number
  /** For rests. */
  readonly clock?: Pick<Clock, 'schedule'>
  /** Several tenants are active. */
  isCrowded?(): boolean
}

/** The pool of the store has 10 connections. */
const MAX_RUNNING = 6
/** A message has only some of its calls waiting, and both messages and requests are bounded. */
const MAX_WAITING = 20_000
const MAX_IN_CROWD = 1
const REST_PER_ROW_MS = 0.4
const RETRY_AFTER_MS = 1_000

export function createReadTurns(options: ReadTurnsOptions = {}): FairTurns {
  const { sharePercent, clock, isCrowded = () => false } = options
  const turns = createFairTurns({
    most: () => (isCrowded() ? MAX_IN_CROWD : MAX_RUNNING),
    what: 'reads of the database',
    maxRunning: MAX_RUNNING,
    maxWaiting: MAX_WAITING,
    sharePercent,
    ...(clock !== undefined && { clock }),
    whenFull: () => {
      const message = 'Too many requests are waiting for the database. Retry after the time given.'
      return new AppError('overloaded', message, { retryAfterMs: RETRY_AFTER_MS })
    },
  })
  return {
    run: (tenant, read) =>
      turns.run(tenant, async (rest) => {
        const result = await read(rest)
        if (isCrowded()) rest(countRows(result) * REST_PER_ROW_MS)
        return result
      }),
  }
}

/** The store returns lists, or pages of them. */
function countRows(result: unknown): number {
  if (Array.isArray(result)) return result.length
  return typeof result === 'object' && result !== null && 'items' in result ? countRows(result.items) : 1
}
