/**
 * The third structure (R25): due timers of some targets, kept so that a block pulls its fires in rotation order (R19)
 * without touching the rest of the backlog.
 *
 * Each target has two ordered lists, its own timers and foreign ones (R11), both by the height-free key. The best of
 * the two is the target's head, and `heads` orders all heads by the total order. Rotation takes every head before any
 * second timer, so while there are more targets than slots only `heads` is read; and once all heads are used up there
 * are fewer targets than slots, so sorting the next level costs no more than the slots do.
 *
 * The cursor of a target is part of the order, but moves only when that target fires: then its one head is taken out
 * and put back under the new cursor, and inside its lists nothing moves, since the cursor is equal for all of them.
 */

import { compareHex, type Hex } from '../bytes/hex.ts'
import { OrderedMap } from '../tree/ordered-map.ts'
import { type Contender, compareContenders, compareReady, type ReadyTimer } from './delivery-order.ts'

type ReadyList = OrderedMap<ReadyTimer, null>

interface TargetQueue {
  readonly cursor: bigint
  readonly own: ReadyList
  readonly foreign: ReadyList
}

export interface ReadyShard {
  readonly queues: OrderedMap<Hex, TargetQueue>
  readonly heads: OrderedMap<Contender, null>
}

/** A contender with its index inside its target's list. */
export interface Ranked extends Contender {
  readonly k: number
}

interface ReadyChange {
  readonly drop: readonly ReadyTimer[]
  readonly add: readonly ReadyTimer[]
  /** Targets whose cursor moved. */
  readonly moved?: Iterable<Hex>
}

const EMPTY_LIST: ReadyList = new OrderedMap(compareReady)

export const EMPTY_SHARD: ReadyShard = {
  queues: new OrderedMap(compareHex),
  heads: new OrderedMap(compareContenders),
}

/** Applies removals, then additions, re-reading the cursor of every target they touch. */
export function changeShard(shard: ReadyShard, change: ReadyChange, cursorOf: (target: Hex) => bigint): ReadyShard {
  const lostHeads: Contender[] = []
  const newHeads: Contender[] = []
  const emptied: Hex[] = []
  const kept: [Hex, TargetQueue][] = []
  for (const [target, part] of groupByTarget(change)) {
    const before = shard.queues.get(target)
    if (before === undefined && part.add.length === 0) continue
    const after = changeQueue(before, part, cursorOf(target))
    const oldHead = before === undefined ? null : headOf(before)
    const newHead = headOf(after)
    if (oldHead?.ready !== newHead?.ready || oldHead?.cursor !== newHead?.cursor) {
      if (oldHead !== null) lostHeads.push(oldHead)
      if (newHead !== null) newHeads.push(newHead)
    }
    if (newHead === null) emptied.push(target)
    else kept.push([target, after])
  }
  lostHeads.sort(compareContenders)
  newHeads.sort(compareContenders)
  emptied.sort(compareHex)
  kept.sort((a, b) => compareHex(a[0], b[0]))
  return {
    queues: shard.queues.deleteMany(emptied).setMany(kept),
    heads: shard.heads.deleteMany(lostHeads).setMany(newHeads.map((head) => [head, null] as const)),
  }
}

/** Ready timers in (k, total order), lazily; a foreign timer past the share is skipped and takes no index. */
export function* walkShard(shard: ReadyShard, maxFiresPerTarget: number): Generator<Ranked, void, undefined> {
  const visited: Contender[] = []
  for (const { key: head } of shard.heads.entries()) {
    yield { k: 0, ready: head.ready, cursor: head.cursor }
    visited.push(head)
  }
  const foreignShare = Math.ceil(maxFiresPerTarget / 2)
  let lists = visited.map(({ ready, cursor }) => {
    const queue = shard.queues.get(ready.timer.target)
    const items = queue === undefined ? null : mergeLists(queue, foreignShare)
    items?.next()
    return { items, cursor }
  })
  for (let k = 1; k < maxFiresPerTarget && lists.length > 0; k += 1) {
    const level: Ranked[] = []
    lists = lists.filter(({ items, cursor }) => {
      const next = items?.next()
      if (next === undefined || next.done) return false
      level.push({ k, ready: next.value, cursor })
      return true
    })
    yield* level.sort(compareContenders)
  }
}

/** Every ready timer of one target, in no particular order. */
export function listTarget(shard: ReadyShard, target: Hex): readonly ReadyTimer[] {
  const queue = shard.queues.get(target)
  if (queue === undefined) return []
  return [...queue.own.entries(), ...queue.foreign.entries()].map((node) => node.key)
}

interface TargetChange {
  readonly drop: ReadyTimer[]
  readonly add: ReadyTimer[]
}

function groupByTarget({ drop, add, moved }: ReadyChange): Map<Hex, TargetChange> {
  const groups = new Map<Hex, TargetChange>()
  const groupOf = (target: Hex): TargetChange => {
    const known = groups.get(target)
    if (known !== undefined) return known
    const fresh: TargetChange = { drop: [], add: [] }
    groups.set(target, fresh)
    return fresh
  }
  for (const ready of drop) groupOf(ready.timer.target).drop.push(ready)
  for (const ready of add) groupOf(ready.timer.target).add.push(ready)
  for (const target of moved ?? []) groupOf(target)
  return groups
}

function changeQueue(before: TargetQueue | undefined, { drop, add }: TargetChange, cursor: bigint): TargetQueue {
  let own = before?.own ?? EMPTY_LIST
  let foreign = before?.foreign ?? EMPTY_LIST
  for (const ready of drop) {
    if (ready.foreign) foreign = foreign.delete(ready)
    else own = own.delete(ready)
  }
  for (const ready of add) {
    if (ready.foreign) foreign = foreign.set(ready, null)
    else own = own.set(ready, null)
  }
  return { cursor, own, foreign }
}

function headOf(queue: TargetQueue): Contender | null {
  const own = queue.own.first()?.key
  const foreign = queue.foreign.first()?.key
  if (own === undefined) return foreign === undefined ? null : { ready: foreign, cursor: queue.cursor }
  const ready = foreign !== undefined && compareReady(foreign, own) < 0 ? foreign : own
  return { ready, cursor: queue.cursor }
}

/** The target's list of R19: both lists in order, foreign timers only up to their share. */
function* mergeLists(queue: TargetQueue, foreignShare: number): Generator<ReadyTimer, void, undefined> {
  const owns = queue.own.entries()
  const foreigns = queue.foreign.entries()
  let own = owns.next().value?.key
  let foreign = foreigns.next().value?.key
  let share = foreignShare
  while (true) {
    if (foreign !== undefined && share > 0 && (own === undefined || compareReady(foreign, own) < 0)) {
      yield foreign
      foreign = foreigns.next().value?.key
      share -= 1
    } else if (own !== undefined) {
      yield own
      own = owns.next().value?.key
    } else {
      return
    }
  }
}
