/** Sets timers (§7.1): checks in one order of precedence, then writes one record. */
import { argumentsDigest } from './bury-timers.ts'
import type { Hex } from './hex.ts'
import { countWatchers } from './index-watch.ts'
import { U64_MAX } from './limits.ts'
import {
  findAddress,
  findInteger,
  type IntegerLike,
  isRefusal,
  readSchedule,
  readSetFields,
  readTerms,
  type Schedule,
  type Terms,
} from './read-arguments.ts'
import { type Refusal, refuse } from './refusal.ts'
import { replaceTimers } from './replace-timers.ts'
import { TIMER_VERSION, type Timer } from './timer.ts'
import type { TimerCall } from './timer-call.ts'
import { timerIdOf } from './timer-id.ts'
import { hasTarget, type TimerState } from './timer-state.ts'
import { reviseTimer } from './update-timer.ts'

interface TermArguments {
  readonly target: string
  readonly payload: string | Uint8Array
  readonly gasLimit: IntegerLike
  readonly bidFp?: IntegerLike
  /** Makes a repeated call return the same timer instead of a second one. */
  readonly clientNonce?: IntegerLike
}
export type SetTimeoutArguments = TermArguments & { readonly dueHeight: IntegerLike }
export type SetIntervalArguments = TermArguments & { readonly everyBlocks: IntegerLike }
export type SetStateWatchArguments = TermArguments & { readonly watchKeys: readonly (string | Uint8Array)[] }
export type SetTimerArguments =
  | ({ readonly kind: 'HEIGHT' } & SetTimeoutArguments)
  | ({ readonly kind: 'INTERVAL' } & SetIntervalArguments)
  | ({ readonly kind: 'STATE_WATCH' } & SetStateWatchArguments)

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

function setByKind(state: TimerState, call: TimerCall, args: unknown, kind: unknown): SetOutcome {
  const read = readSetFields(args, kind)
  if (isRefusal(read)) return read
  const { fields } = read
  const target = findAddress(fields.target)
  if (target === null) return refuse('ERR_INVALID_PARAM', 'target must be an address of 20 bytes')
  const schedule = readSchedule(read.kind, fields, call.params)
  if (isRefusal(schedule)) return schedule
  const terms = readTerms(fields, call.params)
  if (isRefusal(terms)) return terms
  const nonce = fields.clientNonce === undefined ? undefined : findInteger(fields.clientNonce, U64_MAX)
  if (nonce === null) return refuse('ERR_INVALID_PARAM', 'clientNonce must be a number of 64 bits')
  const request: SetRequest = { target, schedule, terms, nonce }
  return (nonce === undefined ? null : repeatByNonce(state, call, request, nonce)) ?? createTimer(state, call, request)
}

interface SetRequest {
  readonly target: Hex
  readonly schedule: Schedule
  readonly terms: Terms
  readonly nonce: bigint | undefined
}

/** R8: what a nonce that was used before means now; null when it is new. */
function repeatByNonce(state: TimerState, call: TimerCall, request: SetRequest, nonce: bigint): SetOutcome | null {
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
  const fault = checkFresh(state, call, request)
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
  const next = replaceTimers({ ...state, owners, nonces, nextRank: state.nextRank + 1n }, [{ before: null, after }])
  return { type: 'created', state: next, timerId }
}

/** The checks that only a new timer has to pass, in order of precedence. */
function checkFresh(state: TimerState, call: TimerCall, { target, schedule, nonce }: SetRequest): Refusal | null {
  const { caller, height, params } = call
  if (height < state.height || height > U64_MAX) return refuse('ERR_INVALID_PARAM', 'the height of the call has passed')
  if (schedule.kind === 'HEIGHT' && schedule.dueHeight <= height) {
    return refuse('ERR_INVALID_PARAM', `dueHeight must be at least ${height + 1n}`)
  }
  if (schedule.kind === 'INTERVAL' && height + BigInt(schedule.everyBlocks) > U64_MAX) {
    return refuse('ERR_INVALID_PARAM', 'everyBlocks leads past the last height')
  }
  const foreign = caller !== target
  if (foreign && !params.foreignTimers)
    return refuse('ERR_UNAUTHORIZED', 'only an actor itself may set its timers here')
  if (!hasTarget(state, target)) return refuse('ERR_TARGET_NOT_FOUND', `no actor at ${target}`)
  return checkQuota(state, call, target, schedule, nonce)
}

function checkQuota(
  state: TimerState,
  call: TimerCall,
  target: Hex,
  schedule: Schedule,
  nonce: bigint | undefined,
): Refusal | null {
  const { caller, params } = call
  const owner = state.owners.get(caller) ?? { live: 0, counter: 0n }
  if (owner.live >= params.maxTimersPerOwner) return refuse('ERR_QUOTA_EXCEEDED', 'the owner holds too many timers')
  const tally = state.targetTallies.get(target) ?? { live: 0, foreign: 0 }
  if (tally.live >= params.maxTimersPerTarget) return refuse('ERR_QUOTA_EXCEEDED', 'the target holds too many timers')
  if (caller !== target && tally.foreign >= Math.floor(params.maxTimersPerTarget / 2)) {
    return refuse('ERR_QUOTA_EXCEEDED', 'others hold as many timers on the target as they may')
  }
  if (schedule.kind === 'STATE_WATCH') {
    const full = schedule.watchKeys.find((key) => countWatchers(state.indexWatch, key) >= params.maxWatchersPerPrefix)
    if (full !== undefined) return refuse('ERR_QUOTA_EXCEEDED', `too many timers watch ${full}`)
  }
  if (state.nextRank > U64_MAX || (nonce === undefined && owner.counter > U64_MAX)) {
    return refuse('ERR_QUOTA_EXCEEDED', 'no numbers left to name a timer')
  }
  return null
}

function createRecord(call: TimerCall, { target, schedule, terms }: SetRequest, timerId: Hex, fifoRank: bigint): Timer {
  const { caller: owner, height } = call
  const base = { owner, target, timerId, ...terms, fifoRank, fireSeq: 0, version: TIMER_VERSION, createdHeight: height }
  switch (schedule.kind) {
    case 'HEIGHT':
      return { ...base, ...schedule }
    case 'INTERVAL':
      return { ...base, ...schedule, dueHeight: height + BigInt(schedule.everyBlocks), failures: 0 }
    case 'STATE_WATCH':
      return { ...base, ...schedule, dueHeight: null, matched: null }
  }
}

function sameSchedule(timer: Timer, schedule: Schedule): boolean {
  switch (schedule.kind) {
    case 'HEIGHT':
      return timer.kind === 'HEIGHT' && timer.dueHeight === schedule.dueHeight
    case 'INTERVAL':
      return timer.kind === 'INTERVAL' && timer.everyBlocks === schedule.everyBlocks
    case 'STATE_WATCH':
      return (
        timer.kind === 'STATE_WATCH' &&
        timer.watchKeys.length === schedule.watchKeys.length &&
        timer.watchKeys.every((key, index) => key === schedule.watchKeys[index])
      )
  }
}
