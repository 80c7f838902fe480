/** The immutable part of a timer, read once and kept while there is room. */
import type { KernelId } from '../../core/timer/timer.ts'
import type { Incarnation, TimerStore } from '../../ports/timer-store.ts'

const MAX_KEPT = 5_000

export function createIncarnationCache(store: Pick<TimerStore, 'readIncarnations'>) {
  const kept = new Map<KernelId, Incarnation>()
  return async (kernelIds: readonly KernelId[]): Promise<ReadonlyMap<KernelId, Incarnation>> => {
    const unknown = kernelIds.filter((id) => !kept.has(id))
    const found = new Map(kernelIds.flatMap((id) => [[id, kept.get(id)] as const]))
    for (const each of unknown.length === 0 ? [] : await store.readIncarnations(unknown)) {
      found.set(each.kernelId, each)
      kept.set(each.kernelId, each)
    }
    for (const id of kept.keys()) {
      if (kept.size <= MAX_KEPT) break
      kept.delete(id)
    }
    return new Map([...found].flatMap(([id, each]) => (each === undefined ? [] : [[id, each] as const])))
  }
}
