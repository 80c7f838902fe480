/** Sets timers (§7.1): checks in one order of precedence, then writes one record. */

import type { Hex } from '../bytes/hex.ts'
import { type Refusal, refuse } from '../params/refusal.ts'
import { argumentsDigest } from '../state/bury-timers.ts'
import { type Replacement, replaceTimers } from '../state/replace-timers.ts'
import type { Timer } from '../state/timer.ts'
import type { TimerState } from '../state/timer-state.ts'
import { checkNewTimer } from './check-new-timer.ts'
import { isRefusal, readCall } from './read-arguments.ts'
import {
  createRecord,
  readSetRequest,
  type SetIntervalArguments,
  type SetRequest,
  type SetStateWatchArguments,
  type SetTimeoutArguments,
  type SetTimerArguments,
  sameSchedule,
} from './set-request.ts'
import type { TimerCall } from './timer-call.ts'
import { timerIdOf } from './timer-id.ts'
import { reviseTimer } from './update-timer.ts'

export type SetOutcome =
  | { readonly type: 'created' | 'updated' | 'unchanged'; readonly state: TimerState; readonly timerId: Hex }
  | Refusal

/** Fires once, at the first delivery at or past `dueHeight`. */
export function setTimeout(state: TimerState, call: TimerCall, args: SetTimeoutArguments): SetOutcome {
  return setByKind(state, call, args, 'HEIGHT')
}

/** Fires every `everyBlocks` blocks, counted from each fire. */
export function setInterval(state: TimerState, call: TimerCall, args: SetIntervalArguments): SetOutcome {
  return setByKind(state, call, args, 'INTERVAL')
}

/** Fires when a key under one of the watched prefixes changes. */
export function setStateWatch(state: TimerState, call: TimerCall, args: SetStateWatchArguments): SetOutcome {
  return setByKind(state, call, args, 'STATE_WATCH')
}

/** The same three, chosen by `kind`, for calls that arrive as plain objects. */
export function setTimer(state: TimerState, call: TimerCall, args: SetTimerArguments): SetOutcome {
  const bag: unknown = args
  const kind = typeof bag === 'object' && bag !== null && 'kind' in bag ? bag.kind : undefined
  return setByKind(state, call, args, kind)
}

function setByKind(state: TimerState, by: TimerCall, args: unknown, kind: unknown): SetOutcome {
  const request = readSetRequest(args, kind, by.params)
  if (isRefusal(request)) return request
  const call = readCall(by)
  if (isRefusal(call)) return call
  return repeatByNonce(state, call, request) ?? createTimer(state, call, request)
}

/** R8: what a used nonce means now; null when it is new. */
function repeatByNonce(state: TimerState, call: TimerCall, request: SetRequest): SetOutcome | null {
  const { nonce } = request
  if (nonce === undefined) return null
  const timerId = timerIdOf({
    chainId: state.chainId,
    owner: call.caller,
    target: request.target,
    source: 'client',
    n: nonce,
  })
  const spent = state.nonces.get(timerId)
  if (spent === undefined) return null
  const live = state.timers.get(timerId)
  if (live === undefined) {
    const asked = createRecord(call, request, timerId, 0n)
    return spent === argumentsDigest(asked)
      ? { type: 'unchanged', state, timerId }
      : refuse('ERR_INVALID_PARAM', 'clientNonce was used by another timer')
  }
  if (!sameSchedule(live, request.schedule)) {
    return refuse('ERR_INVALID_PARAM', 'clientNonce belongs to a live timer with another schedule')
  }
  const revised = reviseTimer(state, call, live, request.terms)
  return isRefusal(revised) ? revised : { ...revised, timerId }
}

function createTimer(state: TimerState, call: TimerCall, request: SetRequest): SetOutcome {
  const named = nameTimer(state, call, request)
  if (isRefusal(named)) return named
  const { state: counted, after } = named
  return { type: 'created', state: replaceTimers(counted, [{ before: null, after }]), timerId: after.timerId }
}

/** A set by its owner's counter, as its host wrote it down. */
export interface LoggedSet {
  readonly call: TimerCall
  readonly args: Omit<SetTimerArguments, 'clientNonce'>
}

/**
 * Sets again what was accepted before, many at once: the same state as one after the other under parameters whose
 * quotas are never reached, for less work. What is refused now is left out.
 */
export function replaySets(state: TimerState, sets: readonly LoggedSet[]): TimerState {
  let counted = state
  const steps: Replacement[] = []
  for (const { call: by, args } of sets) {
    const request = readSetRequest(args, args.kind, by.params)
    const call = readCall(by)
    if (isRefusal(request) || isRefusal(call)) continue
    if (request.nonce !== undefined) throw new RangeError('a set by client nonce cannot be replayed with others')
    const named = nameTimer(counted, call, request)
    if (isRefusal(named)) continue
    counted = named.state
    steps.push({ before: null, after: named.after })
  }
  return replaceTimers(counted, steps)
}

/** The new record, and the state in which its name and rank are used up. */
function nameTimer(
  state: TimerState,
  call: TimerCall,
  request: SetRequest,
): { readonly state: TimerState; readonly after: Timer } | Refusal {
  const fault = checkNewTimer(state, call, request)
  if (fault !== null) return fault
  const owner = call.caller
  const tally = state.owners.get(owner) ?? { live: 0, counter: 0n }
  const { nonce, target } = request
  const identity =
    nonce === undefined ? ({ source: 'counter', n: tally.counter } as const) : ({ source: 'client', n: nonce } as const)
  const timerId = timerIdOf({ chainId: state.chainId, owner, target, ...identity })
  const owners = nonce === undefined ? state.owners.set(owner, { ...tally, counter: tally.counter + 1n }) : state.owners
  const nonces = nonce === undefined ? state.nonces : state.nonces.set(timerId, null)
  const after = createRecord(call, request, timerId, state.nextRank)
  return { state: { ...state, owners, nonces, nextRank: state.nextRank + 1n }, after }
}
