/** Brings the ready index up to a height (R12, R21, R25): costs what became due, unless the rules changed and all is rebuilt. */

import { compareHex } from '../bytes/hex.ts'
import type { TimerParams } from '../params/timer-params.ts'
import { cursorOf } from '../state/cursors.ts'
import { listDue } from '../state/index-height.ts'
import { type DueTimer, isDueTimer } from '../state/timer.ts'
import { hasTarget, isIsolated, type TimerState } from '../state/timer-state.ts'
import type { WatchMatches } from '../watch/match-watches.ts'
import { type Eviction, evictionOf } from './eviction.ts'
import { changeReady, createReadyIndex, fitsLane, fitsRules, listReadyOf, type ReadyIndex } from './ready-index.ts'

export interface Candidates {
  readonly ready: ReadyIndex
  /** Evictions that come before any ordering, by target and id. */
  readonly evictions: readonly Eviction[]
}

interface GatherTerms {
  readonly height: bigint
  readonly params: TimerParams
  readonly shards: number
}

export function gatherCandidates(state: TimerState, woken: WatchMatches['woken'], terms: GatherTerms): Candidates {
  const { height, params, shards } = terms
  const usable = state.ready !== null && fitsRules(state.ready, params, shards) ? state.ready : null
  const index = usable ?? createReadyIndex(params, height, shards)
  const evictions: Eviction[] = []
  const add: DueTimer[] = []
  for (const timer of listArrivals(state, woken, height, usable)) {
    if (!fitsLane(timer, params)) continue
    if (timer.gasLimit < params.minGasLimitPerTimer) evictions.push(evictionOf(timer, 'gas_below_minimum'))
    else if (!hasTarget(state, timer.target)) evictions.push(evictionOf(timer, 'target_gone'))
    else add.push(timer)
  }
  const drop = usable === null ? [] : listOrphans(state, usable)
  for (const timer of drop) evictions.push(evictionOf(timer, 'target_gone'))
  evictions.sort((a, b) => compareHex(a.target, b.target) || compareHex(a.timerId, b.timerId))
  const ready = changeReady({ ...index, height }, { drop, add }, (target) => cursorOf(state, target))
  return { ready, evictions }
}

/** Due timers that the index does not hold yet. */
function* listArrivals(
  state: TimerState,
  woken: WatchMatches['woken'],
  height: bigint,
  usable: ReadyIndex | null,
): Generator<DueTimer, void, undefined> {
  for (const timer of listDue(state.indexHeight, usable?.height ?? null, height)) {
    if (!isIsolated(state, timer.timerId, height)) yield timer
  }
  if (usable !== null) {
    for (const { key: timerId, value: updatedAt } of state.isolated.entries()) {
      const timer = state.timers.get(timerId)
      if (updatedAt < height && timer !== undefined && isDueTimer(timer) && timer.dueHeight <= usable.height)
        yield timer
    }
  }
  for (const timer of woken.values()) {
    const wasIdle = state.timers.get(timer.timerId)?.dueHeight === null
    if (wasIdle && !isIsolated(state, timer.timerId, height)) yield timer
  }
}

/** Ready timers whose target was taken away since the last block. */
function listOrphans(state: TimerState, index: ReadyIndex): DueTimer[] {
  const orphans: DueTimer[] = []
  for (const { key: target } of state.goneTargets.entries()) {
    if (!hasTarget(state, target)) orphans.push(...listReadyOf(index, target))
  }
  return orphans
}
