/**
 * Long work in pieces of a few milliseconds. Everybody shares one thread: of all long work only one piece is done in each
 * pass of the event loop, and tenants take turns with theirs, so that a hundred large batches of one are to the others
 * like a single one.
 */
import { setImmediate as nextPass } from 'node:timers/promises'
import { AppError } from '../../core/app-error.ts'
import { createFairTurns } from '../../engine/tenants/fair-turns.ts'
import type { Tenant } from '../../engine/tenants/tenant-pool.ts'
import type { WorkTurns } from '../../engine/tenants/work-turns.ts'

export interface Pieces {
  /** Like `map` of a list. Throws `overloaded` where too much long work waits. */
  map<T, R>(tenant: Tenant, items: readonly T[], map: (item: T, index: number) => R): Promise<R[]>
  /** Lets others have their turn. */
  rest(tenant: Tenant): Promise<void>
}

const PIECE_MS = 2
const MAX_WAITING = 10_000
const UNCOUNTED = { spendWhenDue: () => null }

/** `work`: what pieces cost is counted for the tenant, and one that has used its share of the thread waits. */
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
