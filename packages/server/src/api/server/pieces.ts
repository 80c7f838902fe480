/**
 * Splits long work into pieces of a few milliseconds. All requests share one thread: each pass of the event loop does
 * only one piece of long work, and tenants take turns, so a hundred large batches from one tenant cost the others no
 * more than a single one.
 */
import { setImmediate as nextPass } from 'node:timers/promises'
import { AppError } from '../../core/app-error.ts'
import { createFairTurns } from '../../engine/tenants/fair-turns.ts'
import type { Tenant } from '../../engine/tenants/tenant-pool.ts'
import type { WorkTurns } from '../../engine/tenants/work-turns.ts'

export interface Pieces {
  /** Like `map` of a list. Throws `overloaded` if too much long work is waiting. */
  map<T, R>(tenant: Tenant, items: readonly T[], map: (item: T, index: number) => R): Promise<R[]>
  /** Yields to others. */
  rest(tenant: Tenant): Promise<void>
}

const PIECE_MS = 2
const MAX_WAITING = 10_000
const UNCOUNTED = { spendWhenDue: () => null }

/** `work`: the cost of pieces counts for the tenant, and a tenant that has used its share of the thread waits. */
export function createPieces(work: Pick<WorkTurns, 'spendWhenDue'> = UNCOUNTED): Pieces {
  const turns = createFairTurns({
    what: 'pieces of batches',
    maxRunning: 1,
    maxWaiting: MAX_WAITING,
    sharePercent: 100,
    whenFull: () =>
      new AppError('overloaded', 'Too many batches are being processed. Retry later.', { retryAfterMs: 1_000 }),
  })
  return {
    async map(tenant, items, map) {
      const results: ReturnType<typeof map>[] = []
      while (results.length < items.length) {
        const due = work.spendWhenDue(tenant, PIECE_MS)
        if (due !== null) await due
        await turns.run(tenant, async () => {
          const endsAt = performance.now() + PIECE_MS
          do results.push(map(items[results.length] as (typeof items)[number], results.length))
          while (results.length < items.length && performance.now() < endsAt)
          await nextPass()
        })
      }
      return results
    },
    async rest(tenant) {
      const due = work.spendWhenDue(tenant, PIECE_MS)
      if (due !== null) await due
      await turns.run(tenant, () => nextPass())
    },
  }
}
