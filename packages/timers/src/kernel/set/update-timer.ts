/** R9: changes what a live timer carries; an effective change sends it to the back of the line. */
import type { Hex } from '../bytes/hex.ts'
import { U64_MAX } from '../bytes/limits.ts'
import { type Refusal, refuse } from '../params/refusal.ts'
import { replaceTimers } from '../state/replace-timers.ts'
import type { Timer } from '../state/timer.ts'
import { hasTarget, type TimerState } from '../state/timer-state.ts'
import {
  type IntegerLike,
  isRefusal,
  readCall,
  readFields,
  readTerms,
  readTimerName,
  type Terms,
} from './read-arguments.ts'
import type { TimerCall } from './timer-call.ts'

export interface UpdateTimerArguments {
  readonly target: string
  readonly timerId: string
  readonly payload?: string | Uint8Array
  readonly gasLimit?: IntegerLike
  readonly bidFp?: IntegerLike
}

export type UpdateOutcome = { readonly type: 'updated' | 'unchanged'; readonly state: TimerState } | Refusal

const FIELDS = ['target', 'timerId', 'payload', 'gasLimit', 'bidFp']

/** For the owner only, who pays for it. */
export function updateTimer(state: TimerState, by: TimerCall, args: UpdateTimerArguments): UpdateOutcome {
  const fields = readFields(args, FIELDS)
  if (isRefusal(fields)) return fields
  const call = readCall(by)
  if (isRefusal(call)) return call
  const named = readTimerName(fields)
  if (isRefusal(named)) return named
  const { target, timerId } = named
  const timer = state.timers.get(timerId)
  const known = timer !== undefined && timer.target === target ? timer : null
  const patch = readPatch(fields, known, call)
  if (isRefusal(patch)) return patch
  if (known === null) return refuseUnknown(state, target)
  if (call.caller !== known.owner) return refuse('ERR_UNAUTHORIZED', 'only the owner may update a timer')
  return reviseTimer(state, call, known, patch)
}

/** Writes new terms onto a live timer; equal terms change nothing. */
export function reviseTimer(state: TimerState, call: TimerCall, timer: Timer, terms: Terms): UpdateOutcome {
  const { payload, gasLimit, bidFp } = terms
  if (payload === timer.payload && gasLimit === timer.gasLimit && bidFp === timer.bidFp)
    return { type: 'unchanged', state }
  if (state.nextRank > U64_MAX) return refuse('ERR_QUOTA_EXCEEDED', 'no ranks left')
  const after = { ...timer, payload, gasLimit, bidFp, fifoRank: state.nextRank }
  const isolated = call.params.isolateUpdates ? state.isolated.set(timer.timerId, call.height) : state.isolated
  const next = { ...state, isolated, nextRank: state.nextRank + 1n }
  return { type: 'updated', state: replaceTimers(next, [{ before: timer, after }]) }
}

export function refuseUnknown(state: TimerState, target: Hex): Refusal {
  return hasTarget(state, target)
    ? refuse('ERR_TIMER_NOT_FOUND', 'the target has no such timer')
    : refuse('ERR_TARGET_NOT_FOUND', `no actor at ${target}`)
}

/** Only the given terms are checked against the current parameters; the others stay as they were accepted. */
function readPatch(fields: Readonly<Record<string, unknown>>, timer: Timer | null, call: TimerCall): Terms | Refusal {
  const { params } = call
  const filler = { payload: '0x', gasLimit: params.minGasLimitPerTimer, bidFp: params.minBid }
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
  const read = readTerms({ ...filler, ...given }, params)
  if (isRefusal(read)) return read
  return {
    payload: 'payload' in given ? read.payload : (timer?.payload ?? read.payload),
    gasLimit: 'gasLimit' in given ? read.gasLimit : (timer?.gasLimit ?? read.gasLimit),
    bidFp: 'bidFp' in given ? read.bidFp : (timer?.bidFp ?? read.bidFp),
  }
}
