/**
 * R12 to R15: which watches the changed keys of a block wake, with the keys that woke them.
 *
 * All keys with the same longest watched prefix wake the same timers. So timers are looked up once per such prefix and
 * not once per key, and timers that are woken by the same keys share one list of them: a block's work grows with its
 * keys and with the timers it wakes, never with their product.
 */
import { compareHex, findHex, type Hex } from '../bytes/hex.ts'
import type { TimerParams } from '../params/timer-params.ts'
import type { MatchedKeys, WatchTimer } from '../state/timer.ts'
import type { TimerState } from '../state/timer-state.ts'
import { findWatchedPrefix, type IndexWatch, isWatchedBefore, listWatchers } from './index-watch.ts'

export interface WatchMatches {
  /** Woken watches as they stand after the match, by id. */
  readonly woken: ReadonlyMap<Hex, WatchTimer & { readonly dueHeight: bigint }>
  readonly carriedKeys: readonly Hex[]
  readonly clipped: WatchClipped | null
  readonly work: WatchWork
}

/** What matching did, for statistics. */
export interface WatchWork {
  /** Keys looked at: the block's own, and those carried here that it came to. */
  readonly keys: number
  /** (key, timer) pairs that matched; MAX_WATCH_MATCHES_PER_BLOCK bounds them. */
  readonly matches: number
  /** Timers read to find them. */
  readonly watchersRead: number
}

/** Changed keys that were dropped, since more was waiting than may be carried on. */
export interface WatchClipped {
  readonly height: bigint
  readonly droppedKeys: readonly Hex[]
}

/** Keys with one longest watched prefix, and the timers they all wake. */
interface KeyGroup {
  readonly keys: Hex[]
  readonly ids: readonly Hex[]
  /** What the keys make of matches so far, by what these are: timers that waited together share both. */
  readonly merged: Map<MatchedKeys | null, MatchedKeys>
}

/**
 * Keys are taken whole, carried ones first so that none waits for ever, until the next would pass the bound; the first
 * that matches is always taken, so a popular key cannot block the rest. Carried keys behind that are not looked at.
 */
export function matchWatches(
  state: TimerState,
  height: bigint,
  modifiedKeys: Iterable<string>,
  params: TimerParams,
): WatchMatches {
  const fresh = listFreshKeys(state, modifiedKeys)
  const taker = createTaker(state.indexWatch, height, params.maxWatchMatchesPerBlock)
  const { carriedKeys } = state
  let takenUp = 0
  while (takenUp < carriedKeys.length && taker.take(carriedKeys[takenUp] as Hex)) takenUp += 1
  const waiting = takenUp === 0 ? carriedKeys : carriedKeys.slice(takenUp)
  const added = fresh.filter((key) => !taker.take(key))
  const all = added.length === 0 ? waiting : [...waiting, ...added]
  const droppedKeys = all.slice(params.maxCarryKeys)
  return {
    woken: wakeWatches(state, height, taker.groups(), params.maxMatchedKeys),
    carriedKeys: droppedKeys.length === 0 ? all : all.slice(0, params.maxCarryKeys),
    clipped: droppedKeys.length === 0 ? null : { height, droppedKeys },
    work: taker.work(fresh.length + takenUp),
  }
}

/** R14: unique, bytewise sorted, cut at the bound; the smallest keys stay whatever order they came in. */
export function mergeMatchedKeys(before: MatchedKeys | null, added: readonly Hex[], max: number): MatchedKeys {
  const keys = [...new Set([...(before?.keys ?? []), ...added])].sort(compareHex)
  return { keys: keys.slice(0, max), truncated: (before?.truncated ?? false) || keys.length > max }
}

function listFreshKeys(state: TimerState, modifiedKeys: Iterable<string>): Hex[] {
  const fresh = new Set<Hex>()
  for (const text of modifiedKeys) {
    const key = findHex(text)
    // A silently skipped key would be a watch that never fires.
    if (key === null) throw new RangeError('a modified key must be bytes as 0x text')
    if (!state.carriedSince.has(key)) fresh.add(key)
  }
  return [...fresh].sort(compareHex)
}

/** Takes keys one after another until the bound on matches is reached. */
function createTaker(index: IndexWatch, height: bigint, maxMatches: number) {
  const groups = new Map<Hex, KeyGroup>()
  const watched = new Map<Hex, boolean>()
  let matches = 0
  let watchersRead = 0
  let full = false

  function openGroup(prefix: Hex): KeyGroup {
    const ids = new Set<Hex>()
    for (let each: Hex | null = prefix; each !== null; each = findWatchedPrefix(index, each, each.length - 2)) {
      for (const id of listWatchers(index, each, height)) {
        watchersRead += 1
        ids.add(id)
      }
    }
    const group: KeyGroup = { keys: [], ids: [...ids], merged: new Map() }
    groups.set(prefix, group)
    return group
  }

  function isWatched(prefix: Hex): boolean {
    let answer = watched.get(prefix)
    if (answer !== undefined) return answer
    answer = false
    for (let each: Hex | null = prefix; each !== null && !answer; ) {
      answer = isWatchedBefore(index, each, height)
      each = findWatchedPrefix(index, each, each.length - 2)
    }
    watched.set(prefix, answer)
    return answer
  }

  return {
    /** False when the key has to wait; a key without watchers is done. */
    take(key: Hex): boolean {
      const prefix = findWatchedPrefix(index, key)
      if (prefix === null) return true
      if (full) return !isWatched(prefix)
      const group = groups.get(prefix) ?? openGroup(prefix)
      if (group.ids.length === 0) return true
      if (matches > 0 && matches + group.ids.length > maxMatches) {
        full = true
        return false
      }
      matches += group.ids.length
      group.keys.push(key)
      return true
    },
    groups: () => [...groups.values()].filter(({ keys }) => keys.length > 0),
    work: (keys: number): WatchWork => ({ keys, matches, watchersRead }),
  }
}

function wakeWatches(
  state: TimerState,
  height: bigint,
  groups: readonly KeyGroup[],
  max: number,
): WatchMatches['woken'] {
  const groupsOf = new Map<Hex, KeyGroup[]>()
  for (const group of groups) {
    for (const id of group.ids) {
      const known = groupsOf.get(id)
      if (known === undefined) groupsOf.set(id, [group])
      else known.push(group)
    }
  }
  const woken = new Map<Hex, WatchTimer & { readonly dueHeight: bigint }>()
  for (const [id, hits] of groupsOf) {
    const timer = state.timers.get(id)
    if (timer?.kind !== 'STATE_WATCH') continue
    const matched = hits.reduce((before: MatchedKeys | null, group) => mergeGroup(group, before, max), timer.matched)
    woken.set(id, { ...timer, dueHeight: timer.dueHeight ?? height, matched })
  }
  return woken
}

function mergeGroup(group: KeyGroup, before: MatchedKeys | null, max: number): MatchedKeys {
  const known = group.merged.get(before)
  if (known !== undefined) return known
  const merged = mergeMatchedKeys(before, group.keys, max)
  group.merged.set(before, merged)
  return merged
}
