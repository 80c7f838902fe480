/** The one place that writes timers: records, both indices, tallies and the ready index move together or not at all. */
import { compareHex, type Hex } from '../bytes/hex.ts'
import { changeReady, fitsLane, type ReadyIndex } from '../ready/ready-index.ts'
import { addWatcher, type IndexWatch, removeWatcher } from '../watch/index-watch.ts'
import { cursorOf } from './cursors.ts'
import { compareByHeight } from './index-height.ts'
import { type DueTimer, isDueTimer, isForeign, type Timer } from './timer.ts'
import { hasTarget, type TimerState } from './timer-state.ts'

/** One timer's step: created (no before), removed (no after) or changed. Its id, owner, target and keys never change. */
export interface Replacement {
  readonly before: Timer | null
  readonly after: Timer | null
}

export function replaceTimers(
  state: TimerState,
  steps: readonly Replacement[],
  moved: readonly Hex[] = [],
): TimerState {
  if (steps.length === 0 && moved.length === 0) return state
  const goneTargets = markGone(state, steps)
  const indexed =
    steps.length < MANY || steps.some(({ before }) => before !== null)
      ? stepByStep(state, steps)
      : addMany(state, steps)
  const next = { ...state, ...changeTallies(state, steps), ...indexed, goneTargets }
  return state.ready === null ? next : { ...next, ready: changeReadyBySteps(next, state.ready, steps, moved) }
}

/** From here on it is less work to sort new timers first. */
const MANY = 32

type Indexed = Pick<TimerState, 'timers' | 'indexHeight' | 'indexWatch'>

function stepByStep(state: TimerState, steps: readonly Replacement[]): Indexed {
  let { timers, indexHeight, indexWatch } = state
  for (const { before, after } of steps) {
    const id = (before ?? after)?.timerId
    if (id === undefined) continue
    timers = after === null ? timers.delete(id) : timers.set(id, after)
    if (before !== null && isDueTimer(before)) indexHeight = indexHeight.delete(before)
    if (after !== null && isDueTimer(after)) indexHeight = indexHeight.set(after, after)
    indexWatch = replaceWatcher(indexWatch, before, after)
  }
  return { timers, indexHeight, indexWatch }
}

/** Only new timers, each with an id of its own. */
function addMany(state: TimerState, steps: readonly Replacement[]): Indexed {
  const added = steps.flatMap(({ after }) => after ?? [])
  const byId = added.map((timer) => [timer.timerId, timer] as const).sort((a, b) => compareHex(a[0], b[0]))
  const due = added.filter(isDueTimer).sort(compareByHeight)
  const indexWatch = added.reduce((index, timer) => replaceWatcher(index, null, timer), state.indexWatch)
  return {
    timers: state.timers.setMany(byId),
    indexHeight: state.indexHeight.setMany(due.map((timer) => [timer, timer] as const)),
    indexWatch,
  }
}

/** A timer that enters the line of a target that is gone must be found there by the next delivery. */
function markGone(state: TimerState, steps: readonly Replacement[]): TimerState['goneTargets'] {
  return steps.reduce((gone, { after }) => {
    return after === null || hasTarget(state, after.target) ? gone : gone.set(after.target, null)
  }, state.goneTargets)
}

/** Whether a timer belongs in a ready index that is filled up to its height. */
function isReadyIn(index: ReadyIndex, state: Pick<TimerState, 'isolated'>, timer: DueTimer): boolean {
  return timer.dueHeight <= index.height && fitsLane(timer, index.rules) && !state.isolated.has(timer.timerId)
}

function replaceWatcher(index: IndexWatch, before: Timer | null, after: Timer | null): IndexWatch {
  if (before === null && after?.kind === 'STATE_WATCH') return addWatcher(index, after)
  if (after === null && before?.kind === 'STATE_WATCH') return removeWatcher(index, before)
  return index
}

/** Replays steps on a ready index that is filled up to its height. */
export function changeReadyBySteps(
  state: TimerState,
  index: ReadyIndex,
  steps: readonly Replacement[],
  moved: readonly Hex[],
): ReadyIndex {
  const drop: DueTimer[] = []
  const add: DueTimer[] = []
  for (const { before, after } of steps) {
    if (before !== null && isDueTimer(before) && before.dueHeight <= index.height) drop.push(before)
    if (after !== null && isDueTimer(after) && isReadyIn(index, state, after)) add.push(after)
  }
  return changeReady(index, { drop, add, moved }, (target) => cursorOf(state, target))
}

type Tallies = Pick<TimerState, 'owners' | 'targetTallies' | 'restingCursors'>

function changeTallies(state: TimerState, steps: readonly Replacement[]): Tallies {
  let { owners, targetTallies, restingCursors } = state
  for (const { before, after } of steps) {
    if ((before === null) === (after === null)) continue
    const timer = before ?? after
    if (timer === null) continue
    const sign = before === null ? 1 : -1
    const owner = owners.get(timer.owner) ?? { live: 0, counter: 0n }
    const held = owner.live + sign
    const forgotten = held === 0 && owner.counter === 0n
    owners = forgotten ? owners.delete(timer.owner) : owners.set(timer.owner, { ...owner, live: held })
    const tally = targetTallies.get(timer.target) ?? { live: 0, foreign: 0 }
    const foreign = tally.foreign + (isForeign(timer) ? sign : 0)
    const live = tally.live + sign
    targetTallies = live === 0 ? targetTallies.delete(timer.target) : targetTallies.set(timer.target, { live, foreign })
    if (live > 1 || (live === 1 && sign < 0)) continue
    const cursor = state.cursors.get(timer.target)
    if (cursor === undefined) continue
    restingCursors = live === 0 ? restingCursors.set(cursor, timer.target) : restingCursors.delete(cursor)
  }
  return { owners, targetTallies, restingCursors }
}
