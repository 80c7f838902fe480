/** Requests of the main thread to the worker of a shard, and the answers. */

import type { Hex } from '../kernel/bytes/hex.ts'
import type { TimerParams } from '../kernel/params/timer-params.ts'
import type { Eviction } from '../kernel/ready/eviction.ts'
import { shardOf } from '../kernel/ready/ready-index.ts'
import type { Ranked } from '../kernel/ready/ready-shard.ts'
import type { Timer } from '../kernel/state/timer.ts'
import type { TimerState } from '../kernel/state/timer-state.ts'
import { diffMaps, type OrderedMap } from '../kernel/tree/ordered-map.ts'

/** Changed keys with their new value; `undefined` removes one. */
export type Pairs<V> = readonly (readonly [Hex, V | undefined])[]

export interface OpenRequest {
  readonly type: 'open'
  readonly height: bigint
  readonly params: TimerParams
  /** Forget what was known before. */
  readonly fresh: boolean
  readonly timers: Pairs<Timer>
  readonly cursors: Pairs<bigint>
  readonly isolated: Pairs<bigint>
  /** Null where every address is a target. */
  readonly targets: Pairs<null> | null
}

export type ShardRequest = OpenRequest | { readonly type: 'pull' }
export interface ShardReply {
  readonly evictions: readonly Eviction[]
  readonly batch: readonly Ranked[]
}

/** What changed between two states, split by target. */
export function splitChanges(
  before: TimerState,
  after: TimerState,
  terms: Pick<OpenRequest, 'height' | 'params' | 'fresh'>,
  shards: number,
): OpenRequest[] {
  const ownerOf = (id: Hex) => (after.timers.get(id) ?? before.timers.get(id))?.target ?? id
  const split = <V>(
    a: OrderedMap<Hex, V>,
    b: OrderedMap<Hex, V>,
    targetOf: (key: Hex) => Hex,
  ): [Hex, V | undefined][][] => {
    const parts = Array.from({ length: shards }, (): [Hex, V | undefined][] => [])
    diffMaps(a, b, (key, _, value) => parts[shardOf(targetOf(key), shards)]?.push([key, value]))
    return parts
  }
  const self = (target: Hex) => target
  const timers = split(before.timers, after.timers, ownerOf)
  const cursors = split(before.cursors, after.cursors, self)
  const isolated = split(before.isolated, after.isolated, ownerOf)
  const targets = after.targets === null || before.targets === null ? null : split(before.targets, after.targets, self)
  return Array.from({ length: shards }, (_, shard) => ({
    type: 'open',
    ...terms,
    timers: timers[shard] ?? [],
    cursors: cursors[shard] ?? [],
    isolated: isolated[shard] ?? [],
    targets: targets?.[shard] ?? null,
  }))
}
