/**
 * IndexWatch of §6.2: watched prefixes in byte order, each with its watchers.
 *
 * The longest watched prefix of a key is the greatest one at or before it in byte order, or an ancestor of what both
 * share; so a key costs a search or two, however many prefixes and lengths are in use.
 */
import { compareHex, type Hex } from '../bytes/hex.ts'
import type { WatchTimer } from '../state/timer.ts'
import { OrderedMap } from '../tree/ordered-map.ts'

export interface Watcher {
  readonly createdHeight: bigint
  readonly timerId: Hex
  readonly target: Hex
}

/** Oldest first, so that those set in this very block stand at the end and are never walked over. */
type Watchers = OrderedMap<Watcher, null>
export type IndexWatch = OrderedMap<Hex, Watchers>

const NO_WATCHERS: Watchers = new OrderedMap(compareWatchers)
export const EMPTY_INDEX_WATCH: IndexWatch = new OrderedMap(compareHex)

export function addWatcher(index: IndexWatch, timer: WatchTimer): IndexWatch {
  const watcher = watcherOf(timer)
  return timer.watchKeys.reduce(
    (next, prefix) => next.set(prefix, (next.get(prefix) ?? NO_WATCHERS).set(watcher, null)),
    index,
  )
}

export function removeWatcher(index: IndexWatch, timer: WatchTimer): IndexWatch {
  const watcher = watcherOf(timer)
  return timer.watchKeys.reduce((next, prefix) => {
    const watchers = next.get(prefix)?.delete(watcher)
    if (watchers === undefined) return next
    return watchers.size === 0 ? next.delete(prefix) : next.set(prefix, watchers)
  }, index)
}

/** An index over many timers at once. */
export function createIndexWatch(timers: Iterable<WatchTimer>): IndexWatch {
  const lists = new Map<Hex, Watcher[]>()
  for (const timer of timers) {
    for (const prefix of timer.watchKeys) {
      const list = lists.get(prefix)
      if (list === undefined) lists.set(prefix, [watcherOf(timer)])
      else list.push(watcherOf(timer))
    }
  }
  const entries = [...lists].map(([prefix, list]): readonly [Hex, Watchers] => {
    const sorted = list.sort(compareWatchers).map((watcher) => [watcher, null] as const)
    return [prefix, OrderedMap.fromSorted(compareWatchers, sorted)]
  })
  return OrderedMap.fromSorted(
    compareHex,
    entries.sort((a, b) => compareHex(a[0], b[0])),
  )
}

export function countWatchers(index: IndexWatch, prefix: Hex): number {
  return index.get(prefix)?.size ?? 0
}

/** The longest watched prefix of a key that is no longer than `length` characters; null if there is none. */
export function findWatchedPrefix(index: IndexWatch, key: Hex, length = key.length): Hex | null {
  let probe = key.slice(0, length) as Hex
  while (true) {
    const prefix = index.floor(probe)?.key
    if (prefix === undefined) return null
    const shared = sharedDigits(prefix, probe)
    if (shared === prefix.length) return prefix
    if (shared < MIN_PREFIX_TEXT) return null
    probe = probe.slice(0, shared) as Hex
  }
}

/** The watchers of one prefix that were set before a height. */
export function* listWatchers(index: IndexWatch, prefix: Hex, height: bigint): Generator<Hex, void, undefined> {
  for (const { key: watcher } of index.get(prefix)?.entries() ?? []) {
    if (watcher.createdHeight >= height) return
    yield watcher.timerId
  }
}

/** Whether any timer watched a prefix before a height. */
export function isWatchedBefore(index: IndexWatch, prefix: Hex, height: bigint): boolean {
  const oldest = index.get(prefix)?.first()?.key
  return oldest !== undefined && oldest.createdHeight < height
}

/** 0x and 20 bytes: no prefix is shorter. */
const MIN_PREFIX_TEXT = 42

/** How much two texts share from the start, in whole bytes. */
function sharedDigits(a: Hex, b: Hex): number {
  const end = Math.min(a.length, b.length)
  let at = 0
  while (at < end && a.charCodeAt(at) === b.charCodeAt(at)) at += 1
  return at - (at % 2)
}

function watcherOf({ createdHeight, timerId, target }: WatchTimer): Watcher {
  return { createdHeight, timerId, target }
}

function compareWatchers(a: Watcher, b: Watcher): number {
  if (a.createdHeight !== b.createdHeight) return a.createdHeight < b.createdHeight ? -1 : 1
  return compareHex(a.timerId, b.timerId)
}
