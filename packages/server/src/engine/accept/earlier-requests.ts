/**
 * Finds the result of an earlier request. Requests that arrive within the same few milliseconds are looked up together.
 * If the database does not respond for a moment, the look-up is retried: an outage that the intake would survive must
 * not be an error here.
 */
import { AppError } from '../../core/app-error.ts'
import { backOff } from '../../core/back-off.ts'
import type { Transaction } from '../../core/transaction/transaction.ts'
import type { Clock } from '../../ports/clock.ts'
import { type DeletedRequest, type RequestKey, type Store, StoreUnavailable } from '../../ports/store.ts'
import { pause } from '../pause.ts'
import { createBatcher, type Pending } from '../write/batcher.ts'

type Earlier = Transaction | DeletedRequest
export type FindEarlier = (key: RequestKey) => Promise<Earlier | null>

const LOOKUP = { lingerMs: 2, maxBatch: 500, maxRunning: 1, maxWaiting: 5_000, deadlineMs: 10_000 }
const FIRST_PAUSE_MS = 50
const MAX_PAUSE_MS = 1_000

export function createEarlierRequests(ports: {
  readonly store: Pick<Store, 'findRequests'>
  readonly clock: Clock
}): FindEarlier {
  const { store, clock } = ports
  const expire = () =>
    new AppError('database_unavailable', 'The database does not respond. Send the request again with the same key.')

  async function run(batch: readonly Pending<RequestKey, Earlier | null>[]): Promise<void> {
    for (let failures = 1; ; failures++) {
      const waiting = batch.filter((entry) => !entry.isSettled())
      if (waiting.length === 0) return
      try {
        const found = await store.findRequests(waiting.map((entry) => entry.item))
        for (const [index, entry] of waiting.entries()) entry.resolve(found[index] ?? null)
        return
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error
        await pause(clock, backOff(failures, { first: FIRST_PAUSE_MS, max: MAX_PAUSE_MS }))
      }
    }
  }

  const batcher = createBatcher<RequestKey, Earlier | null>({ clock, ...LOOKUP, expire, run })
  return (key) => batcher.add(key)
}
