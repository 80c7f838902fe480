/** The kernel's state as plain lists, for a store or a wire; order inside the lists carries no meaning. */
import type { Hex } from '../bytes/hex.ts'
import type { Timer } from '../state/timer.ts'
import type { TimerState, Tombstone } from '../state/timer-state.ts'
import type { OrderedMap } from '../tree/ordered-map.ts'

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
  /** Keys that wait for the next block, each with the height it waits since. */
  readonly carriedKeys: readonly (readonly [Hex, bigint])[]
  /** Known actors, or null where every address is a target. */
  readonly targets: readonly Hex[] | null
}

export function snapshotTimers(state: TimerState): TimerSnapshot {
  const { chainId, height, nextRank } = state
  return {
    chainId,
    height,
    nextRank,
    timers: [...state.timers.values()],
    cursors: pairsOf(state.cursors),
    ownerCounters: pairsOf(state.owners).flatMap(([owner, { counter }]) =>
      counter > 0n ? [[owner, counter] as const] : [],
    ),
    nonces: pairsOf(state.nonces),
    tombstones: [...state.tombstones.values()],
    isolated: pairsOf(state.isolated),
    carriedKeys: pairsOf(state.carriedSince),
    targets: state.targets === null ? null : [...state.targets.entries()].map(({ key }) => key),
  }
}

function pairsOf<V>(map: OrderedMap<Hex, V>): (readonly [Hex, V])[] {
  return [...map.entries()].map(({ key, value }) => [key, value] as const)
}
