/** The kernel's state as plain lists, for a store or a wire; order inside the lists carries no meaning. */
import { compareHex, type Hex } from '../bytes/hex.ts'
import { compareByHeight } from '../state/index-height.ts'
import { isDueTimer, isForeign, TIMER_VERSION, type Timer } from '../state/timer.ts'
import {
  createTimerState,
  type OwnerTally,
  type TargetTally,
  type TimerState,
  type Tombstone,
} from '../state/timer-state.ts'
import { OrderedMap } from '../tree/ordered-map.ts'
import { addWatcher, EMPTY_INDEX_WATCH } from '../watch/index-watch.ts'

export interface TimerSnapshot {
  readonly chainId: bigint
  readonly height: bigint
  readonly nextRank: bigint
  readonly timers: readonly Timer[]
  readonly cursors: readonly (readonly [Hex, bigint])[]
  readonly ownerCounters: readonly (readonly [Hex, bigint])[]
  readonly nonces: readonly (readonly [Hex, Hex | null])[]
  readonly tombstones: readonly Tombstone[]
  readonly isolated: readonly (readonly [Hex, bigint])[]
  readonly carriedKeys: readonly Hex[]
  /** Known actors, or null where every address is a target. */
  readonly targets: readonly Hex[] | null
}

export function snapshotTimers(state: TimerState): TimerSnapshot {
  const { chainId, height, nextRank, carriedKeys } = state
  return {
    chainId,
    height,
    nextRank,
    carriedKeys,
    timers: [...state.timers.values()],
    cursors: pairsOf(state.cursors),
    ownerCounters: pairsOf(state.owners).flatMap(([owner, { counter }]) =>
      counter > 0n ? [[owner, counter] as const] : [],
    ),
    nonces: pairsOf(state.nonces),
    tombstones: [...state.tombstones.values()],
    isolated: pairsOf(state.isolated),
    targets: state.targets === null ? null : [...state.targets.entries()].map(({ key }) => key),
  }
}

/** Builds state from lists in any order; throws on repeats, unknown versions and timers due before they were set. */
export function restoreTimers(snapshot: TimerSnapshot): TimerState {
  const { chainId, height, nextRank, carriedKeys } = snapshot
  const blank = createTimerState({ chainId, targets: snapshot.targets === null ? 'any' : 'known' })
  for (const timer of snapshot.timers) checkRecord(timer)
  const dueTimers = snapshot.timers.filter(isDueTimer).sort(compareByHeight)
  const watches = snapshot.timers.flatMap((timer) => (timer.kind === 'STATE_WATCH' ? [timer] : []))
  return {
    ...blank,
    height,
    nextRank,
    carriedKeys,
    ...countTallies(snapshot),
    timers: mapOf(snapshot.timers.map((timer) => [timer.timerId, timer])),
    indexHeight: OrderedMap.fromSorted(
      compareByHeight,
      dueTimers.map((timer) => [timer, timer]),
    ),
    indexWatch: watches.reduce(addWatcher, EMPTY_INDEX_WATCH),
    cursors: mapOf(snapshot.cursors),
    nonces: mapOf(snapshot.nonces),
    tombstones: mapOf(snapshot.tombstones.map((tombstone) => [tombstone.timerId, tombstone])),
    tombstonesByHeight: snapshot.tombstones.reduce(
      (map, tombstone) => map.set(tombstone, null),
      blank.tombstonesByHeight,
    ),
    isolated: mapOf(snapshot.isolated),
    targets: snapshot.targets === null ? null : mapOf(snapshot.targets.map((target) => [target, null])),
  }
}

function countTallies({ timers, ownerCounters }: TimerSnapshot): Pick<TimerState, 'owners' | 'targetTallies'> {
  const owners = new Map<Hex, OwnerTally>(ownerCounters.map(([owner, counter]) => [owner, { live: 0, counter }]))
  const targets = new Map<Hex, TargetTally>()
  for (const timer of timers) {
    const owner = owners.get(timer.owner) ?? { live: 0, counter: 0n }
    owners.set(timer.owner, { ...owner, live: owner.live + 1 })
    const target = targets.get(timer.target) ?? { live: 0, foreign: 0 }
    targets.set(timer.target, { live: target.live + 1, foreign: target.foreign + (isForeign(timer) ? 1 : 0) })
  }
  return { owners: mapOf([...owners]), targetTallies: mapOf([...targets]) }
}

function checkRecord(timer: Timer): void {
  const { timerId, version, createdHeight, dueHeight } = timer
  if (version !== TIMER_VERSION) throw new RangeError(`timer ${timerId} has unknown version ${version}`)
  if (dueHeight !== null && dueHeight <= createdHeight)
    throw new RangeError(`timer ${timerId} was due before it was set`)
}

function mapOf<V>(entries: readonly (readonly [Hex, V])[]): OrderedMap<Hex, V> {
  const sorted = [...entries].sort((a, b) => compareHex(a[0], b[0]))
  const repeated = sorted.find((entry, index) => entry[0] === sorted[index + 1]?.[0])
  if (repeated !== undefined) throw new RangeError(`${repeated[0]} appears twice`)
  return OrderedMap.fromSorted(compareHex, sorted)
}

function pairsOf<V>(map: OrderedMap<Hex, V>): (readonly [Hex, V])[] {
  return [...map.entries()].map(({ key, value }) => [key, value] as const)
}
