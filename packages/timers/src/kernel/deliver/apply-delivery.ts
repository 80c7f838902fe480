/**
 * The system hooks of a block (R23): writes what a delivery decided onto the records as they are now.
 *
 * Between deliver and here the mailbox ran, and may have set, updated or cancelled timers. A cancelled timer is not
 * revived and an updated one keeps its new terms: only the fields that delivery owns are written.
 */

import { getExactHex, type Hex } from '../bytes/hex.ts'
import { listReadyOf, type ReadyIndex } from '../ready/ready-index.ts'
import { buryTimers, sweepTombstones } from '../state/bury-timers.ts'
import { type CursorMove, moveCursors, sweepCursors } from '../state/cursors.ts'
import { changeReadyBySteps, type Replacement, replaceTimers } from '../state/replace-timers.ts'
import type { Timer } from '../state/timer.ts'
import { hasTarget, type TimerState } from '../state/timer-state.ts'
import { diffMaps } from '../tree/ordered-map.ts'
import { checkDelivery, checkMutation } from './check-delivery.ts'
import type { Delivery } from './deliver.ts'
import type { Mutation } from './list-mutations.ts'

export interface AppliedDelivery {
  readonly state: TimerState
  readonly retired: readonly Retirement[]
}

/** A repeating timer that ended by itself. */
export interface Retirement {
  readonly type: 'timer.retired'
  readonly timerId: Hex
  readonly reason: 'fire_seq_exhausted' | 'height_exhausted' | 'failures'
}

const NONE: ReadonlySet<Hex> = new Set()

/** `failed` names the timers whose entry did not succeed; they still move on (R5). */
export function applyDelivery(
  current: TimerState,
  delivery: Delivery,
  failed: ReadonlySet<Hex> = NONE,
): AppliedDelivery {
  const { height, params, mutations, evictions } = delivery
  checkDelivery(current, delivery)
  const failedIds = new Set([...failed].map((timerId) => getExactHex(timerId, 32, 'a failed timer id')))
  const opened = openWrites(current, delivery)
  const steps: Replacement[] = []
  const buried: Timer[] = []
  const retired: Retirement[] = []
  const moves: CursorMove[] = []
  for (const mutation of mutations) {
    if (mutation.type === 'cursor.moved') {
      moves.push(mutation)
      continue
    }
    const before = opened.timers.get(mutation.timerId)
    if (before === undefined) continue
    checkMutation(before, mutation, height)
    const after = writeTimer(before, mutation, failedIds)
    const reason = after === null ? null : endOf(after, mutation, params.maxConsecutiveFailures)
    if (reason !== null) retired.push({ type: 'timer.retired', timerId: mutation.timerId, reason })
    if (after === null || reason !== null) buried.push(before)
    else steps.push({ before, after })
  }
  for (const { timerId } of evictions) {
    const timer = opened.timers.get(timerId)
    if (timer !== undefined) buried.push(timer)
  }
  const moved = moves.map(({ target }) => target)
  const written = buryTimers(replaceTimers(moveCursors(opened, moves), steps, moved), buried, height)
  const swept = sweepCursors(sweepTombstones(written, height, params.dedupWindow), height, params.dedupWindow)
  return { state: sweepHints(swept), retired }
}

/** Once a removed target has no timers in line, there is nothing to look for. */
function sweepHints(state: TimerState): TimerState {
  const { ready } = state
  const done = [...state.goneTargets.entries()]
    .map(({ key: target }) => target)
    .filter((target) => ready === null || hasTarget(state, target) || listReadyOf(ready, target).length === 0)
  return { ...state, goneTargets: state.goneTargets.deleteMany(done) }
}

/** The record after a mutation; null where it is used up. */
function writeTimer(
  timer: Timer,
  mutation: Exclude<Mutation, { type: 'cursor.moved' }>,
  failed: ReadonlySet<Hex>,
): Timer | null {
  switch (mutation.type) {
    case 'timer.spent':
      return null
    case 'timer.retired':
      return timer
    case 'timer.rescheduled': {
      if (timer.kind !== 'INTERVAL') return timer
      const failures = failed.has(timer.timerId) ? timer.failures + 1 : 0
      return { ...timer, fireSeq: mutation.fireSeq, dueHeight: mutation.dueHeight, failures }
    }
    case 'watch.cleared':
      return timer.kind === 'STATE_WATCH'
        ? { ...timer, fireSeq: mutation.fireSeq, dueHeight: null, matched: null }
        : timer
    case 'watch.pended':
      return timer.kind === 'STATE_WATCH'
        ? { ...timer, dueHeight: mutation.dueHeight, matched: mutation.matched }
        : timer
  }
}

function endOf(after: Timer, mutation: Mutation, maxFailures: number): Retirement['reason'] | null {
  if (mutation.type === 'timer.retired') return mutation.reason
  const exhausted = maxFailures > 0 && after.kind === 'INTERVAL' && after.failures >= maxFailures
  return exhausted && mutation.type === 'timer.rescheduled' ? 'failures' : null
}

/** Moves to the delivery's height and takes over its ready index, corrected by what the mailbox changed since. */
function openWrites(current: TimerState, delivery: Delivery): TimerState {
  let { isolated } = current
  for (const { key: timerId, value: updatedAt } of current.isolated.entries()) {
    if (updatedAt < delivery.height) isolated = isolated.delete(timerId)
  }
  const next = { ...carryKeys(current, delivery), isolated, height: delivery.height }
  return { ...next, ready: takeOverReady(next, delivery) }
}

/** The queue loses keys at its front and gains some at its end; what stays in between is not touched. */
function carryKeys(state: TimerState, { height, carried: { keys } }: Delivery): TimerState {
  const before = state.carriedKeys
  const [first] = keys
  const takenUp = first !== undefined && state.carriedSince.has(first) ? before.indexOf(first) : before.length
  const kept = Math.min(before.length - takenUp, keys.length)
  let { carriedSince } = state
  for (const key of before.slice(0, takenUp)) carriedSince = carriedSince.delete(key)
  for (const key of before.slice(takenUp + kept)) carriedSince = carriedSince.delete(key)
  for (const key of keys.slice(kept)) carriedSince = carriedSince.set(key, height)
  return { ...state, carriedKeys: keys, carriedSince }
}

function takeOverReady(state: TimerState, { derived }: Delivery): ReadyIndex | null {
  if (derived === null) return null
  const steps: Replacement[] = []
  diffMaps(derived.timers, state.timers, (_id, before, after) => {
    steps.push({ before: before ?? null, after: after ?? null })
  })
  return steps.length === 0 ? derived.ready : changeReadyBySteps(state, derived.ready, steps, [])
}
