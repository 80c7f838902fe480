/** Builds a state from plain lists, in time that grows with them: everything is sorted once and built whole. */
import { compareHex, type Hex } from '../bytes/hex.ts'
import { compareByHeight, type IndexHeight } from '../state/index-height.ts'
import { type DueTimer, isDueTimer, isForeign, type Timer } from '../state/timer.ts'
import {
  compareTombstones,
  createTimerState,
  type OwnerTally,
  type TargetTally,
  type TimerState,
} from '../state/timer-state.ts'
import type { Compare } from '../tree/balanced-tree.ts'
import { OrderedMap } from '../tree/ordered-map.ts'
import { createIndexWatch } from '../watch/index-watch.ts'
import { checkLinks, checkSnapshot } from './check-snapshot.ts'
import type { TimerSnapshot } from './timer-snapshot.ts'

/** Throws a RangeError for repeats and for anything that no history could have left. */
export function restoreTimers(snapshot: TimerSnapshot): TimerState {
  checkSnapshot(snapshot)
  const { chainId, height, nextRank } = snapshot
  const blank = createTimerState({ chainId, targets: snapshot.targets === null ? 'any' : 'known' })
  const timers = mapOf(snapshot.timers.map((timer) => [timer.timerId, timer]))
  checkLinks(snapshot, timers)
  const tallies = countTallies(snapshot)
  const carried = [...snapshot.carriedKeys].sort(([a, since], [b, other]) =>
    since === other ? compareHex(a, b) : since < other ? -1 : 1,
  )
  const resting = snapshot.cursors.filter(([target]) => !tallies.targetTallies.has(target))
  return {
    ...blank,
    ...tallies,
    height,
    nextRank,
    timers,
    indexHeight: createIndexHeight(snapshot.timers),
    indexWatch: createIndexWatch(snapshot.timers.filter((timer) => timer.kind === 'STATE_WATCH')),
    cursors: mapOf(snapshot.cursors),
    restingCursors: mapOf(
      resting.map(([target, cursor]) => [cursor, target]),
      blank.restingCursors.compare,
    ),
    nonces: mapOf(snapshot.nonces),
    tombstones: mapOf(snapshot.tombstones.map((tombstone) => [tombstone.timerId, tombstone])),
    tombstonesByHeight: mapOf(
      snapshot.tombstones.map((tombstone) => [tombstone, null]),
      compareTombstones,
    ),
    isolated: mapOf(snapshot.isolated),
    carriedKeys: carried.map(([key]) => key),
    carriedSince: mapOf(snapshot.carriedKeys),
    targets: snapshot.targets === null ? null : mapOf(snapshot.targets.map((target) => [target, null])),
  }
}

/** Sorted within each height: that compares texts only, and most heights hold few timers. */
function createIndexHeight(timers: readonly Timer[]): IndexHeight {
  const heights = new Map<bigint, DueTimer[]>()
  for (const timer of timers) {
    if (!isDueTimer(timer)) continue
    const list = heights.get(timer.dueHeight)
    if (list === undefined) heights.set(timer.dueHeight, [timer])
    else list.push(timer)
  }
  const entries: (readonly [DueTimer, DueTimer])[] = []
  for (const [, list] of [...heights].sort(([a], [b]) => (a < b ? -1 : 1))) {
    list.sort((a, b) => compareHex(a.target, b.target) || compareHex(a.timerId, b.timerId))
    for (const timer of list) entries.push([timer, timer])
  }
  return OrderedMap.fromSorted(compareByHeight, entries)
}

function countTallies({ timers, ownerCounters }: TimerSnapshot): Pick<TimerState, 'owners' | 'targetTallies'> {
  const owners = new Map<Hex, { -readonly [K in keyof OwnerTally]: OwnerTally[K] }>(
    ownerCounters.map(([owner, counter]) => [owner, { live: 0, counter }]),
  )
  if (owners.size < ownerCounters.length) throw new RangeError('an owner has two counters')
  const targets = new Map<Hex, { -readonly [K in keyof TargetTally]: TargetTally[K] }>()
  for (const timer of timers) {
    const owner = owners.get(timer.owner)
    if (owner === undefined) owners.set(timer.owner, { live: 1, counter: 0n })
    else owner.live += 1
    const foreign = isForeign(timer) ? 1 : 0
    const target = targets.get(timer.target)
    if (target === undefined) targets.set(timer.target, { live: 1, foreign })
    else {
      target.live += 1
      target.foreign += foreign
    }
  }
  return { owners: mapOf([...owners]), targetTallies: mapOf([...targets]) }
}

function mapOf<V>(entries: readonly (readonly [Hex, V])[]): OrderedMap<Hex, V>
function mapOf<K, V>(entries: readonly (readonly [K, V])[], compare: Compare<K>): OrderedMap<K, V>
function mapOf(entries: readonly (readonly [Hex, unknown])[], compare = compareHex): OrderedMap<Hex, unknown> {
  // Most snapshots were written in order.
  const sorted = isRising(entries, compare) ? entries : [...entries].sort((a, b) => compare(a[0], b[0]))
  const repeated = sorted.find((entry, at) => at > 0 && compare(entry[0], (sorted[at - 1] as typeof entry)[0]) === 0)
  if (repeated !== undefined) throw new RangeError(`${repeated[0]} appears twice`)
  return OrderedMap.fromSorted(compare, sorted)
}

function isRising(entries: readonly (readonly [Hex, unknown])[], compare: Compare<Hex>): boolean {
  return entries.every((entry, at) => at === 0 || compare((entries[at - 1] as typeof entry)[0], entry[0]) < 0)
}
