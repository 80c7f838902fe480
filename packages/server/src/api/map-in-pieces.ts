/** Long work in pieces: everybody shares one thread, and nobody should have it for long. */
import { setImmediate as nextPass } from 'node:timers/promises'

const PIECE_MS = 3

/** Like `map`, but others get their turn in between. */
export async function mapInPieces<T, R>(items: readonly T[], map: (item: T, index: number) => R): Promise<R[]> {
  const results: R[] = []
  let startedAt = performance.now()
  for (const [index, item] of items.entries()) {
    results.push(map(item, index))
    if (performance.now() - startedAt < PIECE_MS) continue
    await nextPass()
    startedAt = performance.now()
  }
  return results
}
