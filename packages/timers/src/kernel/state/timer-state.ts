/** All that the timer kernel remembers, as one immutable value: keep a reference to snapshot it, drop back to it to rewind. */
import { compareHex, getExactHex, type Hex } from '../bytes/hex.ts'
import { U64_MAX } from '../bytes/limits.ts'
import type { ReadyIndex } from '../ready/ready-index.ts'
import { OrderedMap } from '../tree/ordered-map.ts'
import { EMPTY_INDEX_WATCH, type IndexWatch } from '../watch/index-watch.ts'
import { EMPTY_INDEX_HEIGHT, type IndexHeight } from './index-height.ts'
import type { Timer } from './timer.ts'

export interface TimerState {
  readonly chainId: bigint
  /** The last height whose delivery was applied. */
  readonly height: bigint
  readonly timers: OrderedMap<Hex, Timer>
  readonly indexHeight: IndexHeight
  readonly indexWatch: IndexWatch
  /** Derived from the rest; null until the next delivery builds it. */
  readonly ready: ReadyIndex | null
  /** rr_cursor of each target that fired: see `cursors.ts`. */
  readonly cursors: OrderedMap<Hex, bigint>
  /** Derived: cursors of targets that hold no timers, oldest first. */
  readonly restingCursors: OrderedMap<bigint, Hex>
  readonly owners: OrderedMap<Hex, OwnerTally>
  readonly targetTallies: OrderedMap<Hex, TargetTally>
  /** Timers named by a client nonce: null while live, then a digest of their last arguments, for ever. */
  readonly nonces: OrderedMap<Hex, Hex | null>
  readonly tombstones: OrderedMap<Hex, Tombstone>
  readonly tombstonesByHeight: OrderedMap<Tombstone, null>
  /** Timers updated under ISOLATE_UPDATES, with the height that may not fire them. */
  readonly isolated: OrderedMap<Hex, bigint>
  /** Changed keys whose watches were clipped to the next block, oldest first, and by bytes within a block. */
  readonly carriedKeys: readonly Hex[]
  /** The same keys with the height that each waits since. */
  readonly carriedSince: OrderedMap<Hex, bigint>
  readonly nextRank: bigint
  /** Known actors, or null where every address is a target. */
  readonly targets: OrderedMap<Hex, null> | null
  /** Targets removed since the last delivery; a hint where to look, not a fact of its own. */
  readonly goneTargets: OrderedMap<Hex, null>
}

export interface OwnerTally {
  readonly live: number
  /** Timers ever set without a client nonce. */
  readonly counter: bigint
}

export interface TargetTally {
  readonly live: number
  readonly foreign: number
}

/** A timer that is gone: fired, cancelled, evicted or retired. */
export interface Tombstone {
  readonly timerId: Hex
  readonly owner: Hex
  readonly target: Hex
  readonly height: bigint
}

export interface TimerStateOptions {
  readonly chainId: bigint
  /** `known` refuses timers for targets that were not added; `any` takes every address. */
  readonly targets?: 'known' | 'any'
}

export function createTimerState({ chainId, targets = 'any' }: TimerStateOptions): TimerState {
  if (typeof chainId !== 'bigint' || chainId < 0n || chainId > U64_MAX) throw new RangeError('chainId must fit 64 bits')
  return {
    chainId,
    height: 0n,
    timers: new OrderedMap(compareHex),
    indexHeight: EMPTY_INDEX_HEIGHT,
    indexWatch: EMPTY_INDEX_WATCH,
    ready: null,
    cursors: new OrderedMap(compareHex),
    restingCursors: new OrderedMap(compareIntegers),
    owners: new OrderedMap(compareHex),
    targetTallies: new OrderedMap(compareHex),
    nonces: new OrderedMap(compareHex),
    tombstones: new OrderedMap(compareHex),
    tombstonesByHeight: new OrderedMap(compareTombstones),
    isolated: new OrderedMap(compareHex),
    carriedKeys: [],
    carriedSince: new OrderedMap(compareHex),
    nextRank: 0n,
    targets: targets === 'any' ? null : new OrderedMap(compareHex),
    goneTargets: new OrderedMap(compareHex),
  }
}

export function hasTarget(state: TimerState, target: Hex): boolean {
  return state.targets === null || state.targets.has(target)
}

export function addTarget(state: TimerState, target: Hex): TimerState {
  const address = getExactHex(target, 20, 'target')
  return state.targets === null ? state : { ...state, targets: state.targets.set(address, null) }
}

/** Removes an actor; its timers are evicted as they come due. */
export function removeTarget(state: TimerState, target: Hex): TimerState {
  const address = getExactHex(target, 20, 'target')
  if (state.targets === null || !state.targets.has(address)) return state
  return { ...state, targets: state.targets.delete(address), goneTargets: state.goneTargets.set(address, null) }
}

/** Timers whose update keeps them out of a delivery at this height. */
export function isIsolated(state: Pick<TimerState, 'isolated'>, timerId: Hex, height: bigint): boolean {
  return state.isolated.get(timerId) === height
}

function compareIntegers(a: bigint, b: bigint): number {
  return a < b ? -1 : a === b ? 0 : 1
}

export function compareTombstones(a: Tombstone, b: Tombstone): number {
  if (a.height !== b.height) return a.height < b.height ? -1 : 1
  return compareHex(a.timerId, b.timerId)
}
