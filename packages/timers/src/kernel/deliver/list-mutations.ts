/** What a delivery leaves to be written back, once, after the mailbox has run (R23). */

import { compareHex, type Hex } from '../bytes/hex.ts'
import { U32_MAX, U64_MAX } from '../bytes/limits.ts'
import type { Eviction } from '../ready/eviction.ts'
import { cursorAt } from '../state/cursors.ts'
import type { DueTimer, MatchedKeys } from '../state/timer.ts'
import type { WatchMatches } from '../watch/match-watches.ts'

export type Mutation =
  | { readonly type: 'timer.spent'; readonly timerId: Hex }
  | { readonly type: 'timer.rescheduled'; readonly timerId: Hex; readonly fireSeq: number; readonly dueHeight: bigint }
  | {
      readonly type: 'timer.retired'
      readonly timerId: Hex
      readonly reason: 'fire_seq_exhausted' | 'height_exhausted'
    }
  | { readonly type: 'watch.cleared'; readonly timerId: Hex; readonly fireSeq: number }
  | { readonly type: 'watch.pended'; readonly timerId: Hex; readonly dueHeight: bigint; readonly matched: MatchedKeys }
  | { readonly type: 'cursor.moved'; readonly target: Hex; readonly cursor: bigint }

/**
 * In mailbox order what the fires leave, then what stays pending by id, then the cursors by target. `served` has the
 * target of each fire in selection order, which is what cursors count by (R18).
 */
export function listMutations(
  height: bigint,
  fired: readonly DueTimer[],
  { woken }: Pick<WatchMatches, 'woken'>,
  evictions: readonly Eviction[],
  served: readonly Hex[],
): Mutation[] {
  const settled = new Set([...fired, ...evictions].map(({ timerId }) => timerId))
  const waiting = [...woken.values()].filter((timer) => !settled.has(timer.timerId))
  const cursors = new Map(served.map((target, index) => [target, cursorAt(height, index + 1)]))
  return [
    ...fired.map((timer) => writeBackOf(timer, height)),
    ...waiting.sort((a, b) => compareHex(a.timerId, b.timerId)).flatMap(pendingOf),
    ...[...cursors]
      .sort((a, b) => compareHex(a[0], b[0]))
      .map(([target, cursor]): Mutation => ({ type: 'cursor.moved', target, cursor })),
  ]
}

/** R5 to R7: what one fire leaves behind. */
function writeBackOf(timer: DueTimer, height: bigint): Mutation {
  const { timerId, fireSeq } = timer
  if (timer.kind === 'HEIGHT') return { type: 'timer.spent', timerId }
  if (fireSeq >= U32_MAX) return { type: 'timer.retired', timerId, reason: 'fire_seq_exhausted' }
  if (timer.kind === 'STATE_WATCH') return { type: 'watch.cleared', timerId, fireSeq: fireSeq + 1 }
  const dueHeight = height + BigInt(timer.everyBlocks)
  if (dueHeight > U64_MAX) return { type: 'timer.retired', timerId, reason: 'height_exhausted' }
  return { type: 'timer.rescheduled', timerId, fireSeq: fireSeq + 1, dueHeight }
}

function pendingOf(timer: DueTimer): Mutation[] {
  if (timer.kind !== 'STATE_WATCH' || timer.matched === null) return []
  return [{ type: 'watch.pended', timerId: timer.timerId, dueHeight: timer.dueHeight, matched: timer.matched }]
}
