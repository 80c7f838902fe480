/** What would fire next, in order and with the reasons: the delivery of a block as it would be, without its fires. */

import type { TimerParams } from '../params/timer-params.ts'
import { heightOfCursor } from '../state/cursors.ts'
import type { DueTimer } from '../state/timer.ts'
import type { TimerState } from '../state/timer-state.ts'
import { scoreAt } from './delivery-order.ts'
import { gatherCandidates } from './gather-candidates.ts'
import { compareRanked } from './merge-shards.ts'
import { type Ranked, walkShard } from './ready-shard.ts'

export interface QueuedTimer {
  readonly timer: DueTimer
  /** Its turn within its target: every target's first comes before any target's second. */
  readonly turn: number
  readonly score: bigint
  readonly bucket: number
  /** The height of its target's last fire, zero if none. */
  readonly targetLastFired: bigint
  readonly waitedBlocks: bigint
}

/** The first `limit` candidates at a height, before watches of that block and before funds are looked at. */
export function listQueue(
  state: TimerState,
  height: bigint,
  params: TimerParams,
  limit: number,
): readonly QueuedTimer[] {
  if (height <= state.height) throw new RangeError(`height ${height} is not ahead of ${state.height}`)
  const shards = state.ready?.shards.length ?? 1
  const { ready } = gatherCandidates(state, new Map(), { height, params, shards })
  const ranked: Ranked[] = []
  for (const shard of ready.shards) {
    let left = limit
    for (const candidate of walkShard(shard, params.maxFiresPerTarget)) {
      if (left === 0) break
      left -= 1
      ranked.push(candidate)
    }
  }
  return ranked
    .sort(compareRanked)
    .slice(0, limit)
    .map(({ ready: each, k, cursor }) => ({
      timer: each.timer,
      turn: k,
      score: scoreAt(each, height, params),
      bucket: each.bucket,
      targetLastFired: heightOfCursor(cursor),
      waitedBlocks: height - each.timer.dueHeight,
    }))
}
