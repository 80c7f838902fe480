/** Ready timers of all targets, split by target into any number of shards; derived state, rebuilt whenever it is missing. */

import type { Hex } from '../bytes/hex.ts'
import type { DueTimer } from '../state/timer.ts'
import { type OrderRules, type ReadyTimer, readyTimerOf, sameRules } from './delivery-order.ts'
import { changeShard, EMPTY_SHARD, listTarget, type ReadyShard } from './ready-shard.ts'

export interface ReadyIndex {
  /** The rules its keys were computed under. */
  readonly rules: OrderRules
  /** Every candidate due up to here is inside. */
  readonly height: bigint
  readonly shards: readonly ReadyShard[]
}

interface TimerChange {
  readonly drop: readonly DueTimer[]
  readonly add: readonly DueTimer[]
  readonly moved?: Iterable<Hex>
}

export function createReadyIndex(rules: OrderRules, height: bigint, shardCount: number): ReadyIndex {
  return { rules, height, shards: Array.from({ length: shardCount }, () => EMPTY_SHARD) }
}

export function fitsRules(index: ReadyIndex, rules: OrderRules, shardCount: number): boolean {
  return index.shards.length === shardCount && sameRules(index.rules, rules)
}

/** A gas limit that no lane could ever hold is kept waiting, or it would stop every timer behind it (R20). */
export function fitsLane(timer: DueTimer, rules: Pick<OrderRules, 'timerLaneCycles'>): boolean {
  return timer.gasLimit <= rules.timerLaneCycles
}

/** Where a target's timers live; any function of the target alone gives the same deliveries (R24). */
export function shardOf(target: Hex, shardCount: number): number {
  if (shardCount === 1) return 0
  let hash = 0x811c9dc5
  for (let i = 2; i < target.length; i += 1) {
    hash = Math.imul(hash ^ target.charCodeAt(i), 0x01000193)
  }
  return (hash >>> 0) % shardCount
}

export function changeReady(index: ReadyIndex, change: TimerChange, cursorOf: (target: Hex) => bigint): ReadyIndex {
  const count = index.shards.length
  const parts = new Map<number, { drop: ReadyTimer[]; add: ReadyTimer[]; moved: Hex[] }>()
  const partOf = (target: Hex) => {
    const shard = shardOf(target, count)
    const part = parts.get(shard) ?? { drop: [], add: [], moved: [] }
    parts.set(shard, part)
    return part
  }
  for (const timer of change.drop) partOf(timer.target).drop.push(readyTimerOf(timer, index.rules))
  for (const timer of change.add) partOf(timer.target).add.push(readyTimerOf(timer, index.rules))
  for (const target of change.moved ?? []) partOf(target).moved.push(target)
  if (parts.size === 0) return index
  const shards = [...index.shards]
  for (const [shard, part] of parts) {
    shards[shard] = changeShard(shards[shard] ?? EMPTY_SHARD, part, cursorOf)
  }
  return { ...index, shards }
}

export function listReadyOf(index: ReadyIndex, target: Hex): readonly DueTimer[] {
  const shard = index.shards[shardOf(target, index.shards.length)]
  return shard === undefined ? [] : listTarget(shard, target).map((ready) => ready.timer)
}
