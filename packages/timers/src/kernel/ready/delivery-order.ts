/**
 * R17, R18 and R25: the total order over due timers.
 *
 * score(h) = W_age·(h − due) + W_bid·bid + W_fifo·rank, and every due timer gains W_age per block alike. So
 * `base = score(h) − W_age·h` does not depend on h, and two waiting timers never change places. `base` is what
 * the ordered structures keep; the score proper is only computed to show it.
 */
import { compareHex } from '../bytes/hex.ts'
import type { TimerParams } from '../params/timer-params.ts'
import { type DueTimer, isForeign } from '../state/timer.ts'

/** The parameters that decide who is a candidate and in which order; the structures are rebuilt when one changes. */
export type OrderRules = Pick<
  TimerParams,
  'wAge' | 'wBid' | 'wFifo' | 'minBid' | 'maxBid' | 'bucketBounds' | 'minGasLimitPerTimer' | 'timerLaneCycles'
>

export interface ReadyTimer {
  readonly timer: DueTimer
  readonly base: bigint
  /** The double nearest to `base`. Rounding never swaps two numbers, so unequal doubles stand as their bases do. */
  readonly nearest: number
  readonly bucket: number
  readonly foreign: boolean
}

/** A ready timer with its target's cursor, as the order across targets sees it. */
export interface Contender {
  readonly ready: ReadyTimer
  readonly cursor: bigint
}

export function clampBid(bidFp: bigint, rules: Pick<OrderRules, 'minBid' | 'maxBid'>): bigint {
  if (bidFp < rules.minBid) return rules.minBid
  return bidFp > rules.maxBid ? rules.maxBid : bidFp
}

/** 0 is the most urgent bucket. */
export function bucketOf(bidFp: bigint, bounds: readonly bigint[]): number {
  let reached = 0
  for (const bound of bounds) if (bound <= bidFp) reached += 1
  return bounds.length - reached
}

export function readyTimerOf(timer: DueTimer, rules: OrderRules): ReadyTimer {
  const worth = rules.wBid * clampBid(timer.bidFp, rules) + rules.wFifo * timer.fifoRank
  const base = worth - rules.wAge * timer.dueHeight
  return {
    timer,
    base,
    nearest: Number(base),
    bucket: rules.bucketBounds.length === 0 ? 0 : bucketOf(timer.bidFp, rules.bucketBounds),
    foreign: isForeign(timer),
  }
}

/** The score of §9.1 at a height at or past the due height. */
export function scoreAt(ready: ReadyTimer, height: bigint, rules: OrderRules): bigint {
  return ready.base + rules.wAge * height
}

/** Order inside one target's list, where cursor and target are equal for all. */
export function compareReady(a: ReadyTimer, b: ReadyTimer): number {
  if (a.nearest !== b.nearest) return a.nearest > b.nearest ? -1 : 1
  if (a.base !== b.base) return a.base > b.base ? -1 : 1
  if (a.bucket !== b.bucket) return a.bucket - b.bucket
  return compareDue(a, b) || compareRank(a, b)
}

/** The total order of R18 across targets. */
export function compareContenders(a: Contender, b: Contender): number {
  const x = a.ready
  const y = b.ready
  if (x.nearest !== y.nearest) return x.nearest > y.nearest ? -1 : 1
  if (x.base !== y.base) return x.base > y.base ? -1 : 1
  if (x.bucket !== y.bucket) return x.bucket - y.bucket
  if (a.cursor !== b.cursor) return a.cursor < b.cursor ? -1 : 1
  return compareDue(x, y) || compareHex(x.timer.target, y.timer.target) || compareRank(x, y)
}

export function sameRules(a: OrderRules, b: OrderRules): boolean {
  if (a === b) return true
  const bounds = b.bucketBounds
  return (
    a.wAge === b.wAge &&
    a.wBid === b.wBid &&
    a.wFifo === b.wFifo &&
    a.minBid === b.minBid &&
    a.maxBid === b.maxBid &&
    a.minGasLimitPerTimer === b.minGasLimitPerTimer &&
    a.timerLaneCycles === b.timerLaneCycles &&
    a.bucketBounds.length === bounds.length &&
    a.bucketBounds.every((bound, index) => bound === bounds[index])
  )
}

function compareDue(a: ReadyTimer, b: ReadyTimer): number {
  const x = a.timer.dueHeight
  const y = b.timer.dueHeight
  return x < y ? -1 : x === y ? 0 : 1
}

function compareRank(a: ReadyTimer, b: ReadyTimer): number {
  const x = a.timer.fifoRank
  const y = b.timer.fifoRank
  if (x !== y) return x < y ? -1 : 1
  return compareHex(a.timer.timerId, b.timer.timerId)
}
