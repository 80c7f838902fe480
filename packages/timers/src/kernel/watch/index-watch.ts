/** IndexWatch of §6.2, by prefix length: a changed key is cut to each length in use and looked up, nothing is scanned. */
import { byteLength, compareHex, type Hex } from '../bytes/hex.ts'
import type { WatchTimer } from '../state/timer.ts'
import { OrderedMap } from '../tree/ordered-map.ts'

/** Watchers of one prefix: timer id to target. */
type Watchers = OrderedMap<Hex, Hex>
type PrefixMap = OrderedMap<Hex, Watchers>
export type IndexWatch = OrderedMap<number, PrefixMap>

const NO_WATCHERS: Watchers = new OrderedMap(compareHex)
const NO_PREFIXES: PrefixMap = new OrderedMap(compareHex)
export const EMPTY_INDEX_WATCH: IndexWatch = new OrderedMap((a: number, b: number) => a - b)

export function addWatcher(index: IndexWatch, timer: WatchTimer): IndexWatch {
  return timer.watchKeys.reduce((next, prefix) => {
    const watchers = findWatchers(next, prefix) ?? NO_WATCHERS
    return putWatchers(next, prefix, watchers.set(timer.timerId, timer.target))
  }, index)
}

export function removeWatcher(index: IndexWatch, timer: WatchTimer): IndexWatch {
  return timer.watchKeys.reduce((next, prefix) => {
    const watchers = findWatchers(next, prefix)
    return watchers === undefined ? next : putWatchers(next, prefix, watchers.delete(timer.timerId))
  }, index)
}

export function countWatchers(index: IndexWatch, prefix: Hex): number {
  return findWatchers(index, prefix)?.size ?? 0
}

/** Ids of all timers that watch a prefix of this key, each once, in order of id. */
export function listWatchersOf(index: IndexWatch, key: Hex): readonly Hex[] {
  const length = byteLength(key)
  const ids = new Set<Hex>()
  for (const { key: prefixLength, value: prefixes } of index.entries()) {
    if (prefixLength > length) break
    const watchers = prefixes.get(key.slice(0, 2 + prefixLength * 2) as Hex)
    if (watchers !== undefined) for (const { key: id } of watchers.entries()) ids.add(id)
  }
  return [...ids].sort(compareHex)
}

function findWatchers(index: IndexWatch, prefix: Hex): Watchers | undefined {
  return index.get(byteLength(prefix))?.get(prefix)
}

function putWatchers(index: IndexWatch, prefix: Hex, watchers: Watchers): IndexWatch {
  const length = byteLength(prefix)
  const prefixes = index.get(length) ?? NO_PREFIXES
  const next = watchers.size === 0 ? prefixes.delete(prefix) : prefixes.set(prefix, watchers)
  return next.size === 0 ? index.delete(length) : index.set(length, next)
}
