/** R10: removes a timer; what is already in a mailbox still runs. */

import { type Refusal, refuse } from '../params/refusal.ts'
import { buryTimers, findTombstone } from '../state/bury-timers.ts'
import type { TimerState } from '../state/timer-state.ts'
import { isRefusal, readCall, readFields, readTimerName } from './read-arguments.ts'
import type { TimerCall } from './timer-call.ts'
import { refuseUnknown } from './update-timer.ts'

export interface CancelTimerArguments {
  readonly target: string
  readonly timerId: string
}

/** `cancelled` is false when the timer was already gone. */
export type CancelOutcome = { readonly type: 'done'; readonly cancelled: boolean; readonly state: TimerState } | Refusal

export function cancelTimer(state: TimerState, by: TimerCall, args: CancelTimerArguments): CancelOutcome {
  const fields = readFields(args, ['target', 'timerId'])
  if (isRefusal(fields)) return fields
  const call = readCall(by)
  if (isRefusal(call)) return call
  const named = readTimerName(fields)
  if (isRefusal(named)) return named
  const { target, timerId } = named
  const live = state.timers.get(timerId)
  const known = live ?? findTombstone(state, timerId, call.height, call.params.dedupWindow)
  if (known === null || known.target !== target) return refuseUnknown(state, target)
  if (call.caller !== known.owner && call.caller !== target) {
    return refuse('ERR_UNAUTHORIZED', 'only the owner or the target may cancel a timer')
  }
  if (live === undefined) return { type: 'done', cancelled: false, state }
  return { type: 'done', cancelled: true, state: buryTimers(state, [live], call.height) }
}
