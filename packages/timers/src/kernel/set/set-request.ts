/** What a set call asks for, read from untrusted arguments, and the record that it makes. */
import type { Hex } from '../bytes/hex.ts'
import { U64_MAX } from '../bytes/limits.ts'
import { type Refusal, refuse } from '../params/refusal.ts'
import type { TimerParams } from '../params/timer-params.ts'
import { TIMER_VERSION, type Timer } from '../state/timer.ts'
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
import type { TimerCall } from './timer-call.ts'

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

export interface SetRequest {
  readonly target: Hex
  readonly schedule: Schedule
  readonly terms: Terms
  readonly nonce: bigint | undefined
}

export function readSetRequest(args: unknown, kind: unknown, params: TimerParams): SetRequest | Refusal {
  const read = readSetFields(args, kind)
  if (isRefusal(read)) return read
  const { fields } = read
  const target = findAddress(fields.target)
  if (target === null) return refuse('ERR_INVALID_PARAM', 'target must be an address of 20 bytes')
  const schedule = readSchedule(read.kind, fields, params)
  if (isRefusal(schedule)) return schedule
  const terms = readTerms(fields, params)
  if (isRefusal(terms)) return terms
  const nonce = fields.clientNonce === undefined ? undefined : findInteger(fields.clientNonce, U64_MAX)
  if (nonce === null) return refuse('ERR_INVALID_PARAM', 'clientNonce must be a number of 64 bits')
  return { target, schedule, terms, nonce }
}

export function createRecord(
  call: TimerCall,
  { target, schedule, terms }: SetRequest,
  timerId: Hex,
  fifoRank: bigint,
): Timer {
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

export function sameSchedule(timer: Timer, schedule: Schedule): boolean {
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
