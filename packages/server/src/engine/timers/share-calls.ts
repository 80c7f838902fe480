/**
 * Turns single requests into batches without making any of them wait: what arrives while a call is under way goes out
 * with the next one. So a busy node makes one call per round trip, not one per request. If a batch is refused, each
 * item is tried alone, so a bad one does not fail the others.
 */
import { StoreUnavailable } from '../../ports/store.ts'

interface Waiting<T, R> {
  readonly item: T
  resolve(result: R): void
  reject(error: unknown): void
}

interface SharedCall<T, R> {
  readonly maxBatch: number
  readonly maxWaiting: number
  /** What an item gets if too many are waiting. */
  refuse(): Error
  /** One result for each item, in their order. */
  run(items: readonly T[]): Promise<readonly R[]>
}

export function shareCalls<T, R>({ maxBatch, maxWaiting, refuse, run }: SharedCall<T, R>): (item: T) => Promise<R> {
  const waiting: Waiting<T, R>[] = []
  let isRunning = false

  async function runAll(): Promise<void> {
    isRunning = true
    // What arrives in the same step goes along.
    await Promise.resolve()
    while (waiting.length > 0) await runBatch(waiting.splice(0, maxBatch))
    isRunning = false
  }

  async function runBatch(batch: readonly Waiting<T, R>[]): Promise<void> {
    try {
      const results = await run(batch.map(({ item }) => item))
      for (const [index, entry] of batch.entries()) entry.resolve(results[index] as R)
    } catch (error) {
      if (batch.length > 1 && !(error instanceof StoreUnavailable)) for (const entry of batch) await runBatch([entry])
      else for (const entry of batch) entry.reject(error)
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= maxWaiting) return reject(refuse())
      waiting.push({ item, resolve, reject })
      if (!isRunning) void runAll()
    })
}
