/** Block measures of §20: what to watch while calibrating quotas and weights. Counted from a delivery, which they cost nothing. */
import type { Hex } from '../bytes/hex.ts'
import type { EvictionReason } from '../ready/eviction.ts'
import type { TimerState } from '../state/timer-state.ts'
import type { Delivery } from './deliver.ts'

export interface BlockMeasures {
  readonly height: bigint
  readonly fires: number
  readonly targetsServed: number
  readonly evictions: Readonly<Record<EvictionReason, number>>
  /** Due and neither fired nor evicted. */
  readonly waiting: number
  /** Of those that fired, in blocks since they were due. */
  readonly longestWait: bigint
  readonly totalWait: bigint
  /** Gas limits of the fires, and the lane they share. */
  readonly laneUsed: bigint
  readonly laneCycles: bigint
  /** What ended the block: `nothing` means that every candidate the targets' quotas let through was served. */
  readonly heldBy: 'fires' | 'lane_or_targets' | 'nothing'
  readonly keysSeen: number
  readonly watchMatches: number
  readonly keysCarried: number
  readonly keysDropped: number
}

/** `before` is the state that the delivery was made from. */
export function measureBlock(before: TimerState, delivery: Delivery): BlockMeasures {
  const { height, params, entries, work, carried } = delivery
  const evictions = { gas_below_minimum: 0, target_gone: 0, owner_unfunded: 0 }
  for (const { type } of delivery.evictions) evictions[type] += 1
  const waits = entries.map((entry) => height - entry.triggerCtx.dueHeight)
  const waiting = countDue(before, delivery) - entries.length - delivery.evictions.length
  return {
    height,
    fires: entries.length,
    targetsServed: new Set(entries.map(({ target }) => target)).size,
    evictions,
    waiting,
    longestWait: longestOf(waits),
    totalWait: waits.reduce((sum, wait) => sum + wait, 0n),
    laneUsed: entries.reduce((sum, entry) => sum + entry.gasLimitSnapshot, 0n),
    laneCycles: params.timerLaneCycles,
    heldBy: waiting === 0 ? 'nothing' : entries.length >= params.maxFiresPerBlock ? 'fires' : 'lane_or_targets',
    keysSeen: work.keys,
    watchMatches: work.matches,
    keysCarried: carried.keys.length,
    keysDropped: carried.clipped?.droppedKeys.length ?? 0,
  }
}

/** Timers due by now: those of the height index, which counts by itself, and watches that woke in this block. */
function countDue(before: TimerState, { height, mutations, entries, evictions }: Delivery): number {
  const known = before.indexHeight.countBefore((timer) => timer.dueHeight <= height)
  const woken = new Set<Hex>()
  for (const mutation of mutations) if (mutation.type === 'watch.pended') woken.add(mutation.timerId)
  for (const { timerId } of [...entries, ...evictions]) woken.add(timerId)
  let fresh = 0
  for (const timerId of woken) if (before.timers.get(timerId)?.dueHeight === null) fresh += 1
  return known + fresh
}

function longestOf(waits: readonly bigint[]): bigint {
  let longest = 0n
  for (const wait of waits) if (wait > longest) longest = wait
  return longest
}
