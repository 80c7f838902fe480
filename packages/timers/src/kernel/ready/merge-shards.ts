/**
 * R24: merges the shards' streams, each in (k, total order), into the one order the unsharded walk has.
 *
 * It is a generator that asks for what it needs, so one merge serves shards in this thread and shards elsewhere: on
 * `refill` the driver sends the next batch of that shard (an empty one ends it), on `candidate` it takes it and goes on.
 */
import { compareContenders } from './delivery-order.ts'
import type { Ranked } from './ready-shard.ts'

type MergeStep =
  | { readonly type: 'refill'; readonly shard: number }
  | { readonly type: 'candidate'; readonly candidate: Ranked }

interface Lane {
  readonly shard: number
  batch: readonly Ranked[]
  next: number
}

export function* mergeShards(shardCount: number): Generator<MergeStep, void, readonly Ranked[]> {
  let lanes: Lane[] = Array.from({ length: shardCount }, (_, shard) => ({ shard, batch: [], next: 0 }))
  for (const lane of lanes) lane.batch = yield { type: 'refill', shard: lane.shard }
  lanes = lanes.filter((lane) => lane.batch.length > 0)
  while (true) {
    let best: Lane | null = null
    let candidate: Ranked | null = null
    for (const lane of lanes) {
      const head = lane.batch[lane.next]
      if (head !== undefined && (candidate === null || compareRanked(head, candidate) < 0)) {
        best = lane
        candidate = head
      }
    }
    if (best === null || candidate === null) return
    yield { type: 'candidate', candidate }
    best.next += 1
    if (best.next < best.batch.length) continue
    best.batch = yield { type: 'refill', shard: best.shard }
    best.next = 0
    if (best.batch.length === 0) lanes = lanes.filter((lane) => lane !== best)
  }
}

/** (k, total order): the order of R19 across targets. */
export function compareRanked(a: Ranked, b: Ranked): number {
  return a.k - b.k || compareContenders(a, b)
}
