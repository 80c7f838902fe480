/** R12 to R15: which watches the changed keys of a block wake, with the keys that woke them. */
import { compareHex, findHex, type Hex } from '../bytes/hex.ts'
import type { TimerParams } from '../params/timer-params.ts'
import type { MatchedKeys, WatchTimer } from '../state/timer.ts'
import type { TimerState } from '../state/timer-state.ts'
import { listWatchersOf } from './index-watch.ts'

export interface WatchMatches {
  /** Woken watches as they stand after the match, by id. */
  readonly woken: ReadonlyMap<Hex, WatchTimer & { readonly dueHeight: bigint }>
  readonly carriedKeys: readonly Hex[]
  readonly clipped: WatchClipped | null
}

/** Changed keys that were dropped, since more was waiting than may be carried on. */
export interface WatchClipped {
  readonly height: bigint
  readonly droppedKeys: readonly Hex[]
}

/**
 * Keys are taken whole, carried ones first so that none waits for ever, until the next would pass the bound; the first
 * that matches is always taken, so a popular key cannot block the rest.
 */
export function matchWatches(
  state: TimerState,
  height: bigint,
  modifiedKeys: Iterable<string>,
  params: TimerParams,
): WatchMatches {
  const hits = new Map<Hex, Hex[]>()
  const waiting: Hex[] = []
  let matches = 0
  for (const key of queueKeys(state.carriedKeys, modifiedKeys)) {
    const ids = listWatchersOf(state.indexWatch, key).filter((id) => isWatching(state, id, height))
    if (ids.length === 0) continue
    if (waiting.length > 0 || (matches > 0 && matches + ids.length > params.maxWatchMatchesPerBlock)) {
      waiting.push(key)
      continue
    }
    matches += ids.length
    for (const id of ids) {
      const keys = hits.get(id)
      if (keys === undefined) hits.set(id, [key])
      else keys.push(key)
    }
  }
  const droppedKeys = waiting.slice(params.maxCarryKeys)
  return {
    woken: wakeWatches(state, height, hits, params.maxMatchedKeys),
    carriedKeys: waiting.slice(0, params.maxCarryKeys),
    clipped: droppedKeys.length === 0 ? null : { height, droppedKeys },
  }
}

/** R14: unique, bytewise sorted, cut at the bound; the smallest keys stay whatever order they came in. */
export function mergeMatchedKeys(before: MatchedKeys | null, added: readonly Hex[], max: number): MatchedKeys {
  const keys = [...new Set([...(before?.keys ?? []), ...added])].sort(compareHex)
  return { keys: keys.slice(0, max), truncated: (before?.truncated ?? false) || keys.length > max }
}

function queueKeys(carried: readonly Hex[], modifiedKeys: Iterable<string>): Iterable<Hex> {
  const fresh = new Set<Hex>()
  for (const text of modifiedKeys) {
    const key = findHex(text)
    // A key passed over in silence would be a watch that never fires.
    if (key === null) throw new RangeError('a modified key must be bytes as 0x text')
    fresh.add(key)
  }
  return new Set([...carried, ...[...fresh].sort(compareHex)])
}

function isWatching(state: TimerState, timerId: Hex, height: bigint): boolean {
  const timer = state.timers.get(timerId)
  return timer !== undefined && timer.createdHeight < height
}

function wakeWatches(
  state: TimerState,
  height: bigint,
  hits: ReadonlyMap<Hex, readonly Hex[]>,
  max: number,
): WatchMatches['woken'] {
  const woken = new Map<Hex, WatchTimer & { readonly dueHeight: bigint }>()
  for (const [id, keys] of hits) {
    const timer = state.timers.get(id)
    if (timer?.kind !== 'STATE_WATCH') continue
    woken.set(id, {
      ...timer,
      dueHeight: timer.dueHeight ?? height,
      matched: mergeMatchedKeys(timer.matched, keys, max),
    })
  }
  return woken
}
