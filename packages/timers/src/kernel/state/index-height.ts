/** IndexHeight of §6.2: every timer that waits for a height, ordered by (due height, target, id). */
import { compareHex } from '../bytes/hex.ts'
import { OrderedMap } from '../tree/ordered-map.ts'
import type { DueTimer } from './timer.ts'

export type IndexHeight = OrderedMap<DueTimer, DueTimer>

export const EMPTY_INDEX_HEIGHT: IndexHeight = new OrderedMap(compareByHeight)

export function compareByHeight(a: DueTimer, b: DueTimer): number {
  if (a.dueHeight !== b.dueHeight) return a.dueHeight < b.dueHeight ? -1 : 1
  return compareHex(a.target, b.target) || compareHex(a.timerId, b.timerId)
}

/** Timers with `after < due ≤ upTo`, in order: at or before a height, never exactly at it (R12). */
export function* listDue(index: IndexHeight, after: bigint | null, upTo: bigint): Generator<DueTimer, void, undefined> {
  const isBefore = after === null ? undefined : (timer: DueTimer) => timer.dueHeight <= after
  for (const { value: timer } of index.entries(isBefore)) {
    if (timer.dueHeight > upTo) return
    yield timer
  }
}
