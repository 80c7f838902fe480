/** The stored timer: the record of CIP-5 §6.1 with the height it was created at. */
import { type Hex, isCanonicalHex } from '../bytes/hex.ts'

interface TimerBase {
  readonly owner: Hex
  readonly target: Hex
  readonly timerId: Hex
  readonly payload: Hex
  readonly gasLimit: bigint
  readonly bidFp: bigint
  /** Position in line; an effective update takes a new one. */
  readonly fifoRank: bigint
  /** Fires so far, and the number the next fire carries. */
  readonly fireSeq: number
  readonly version: number
  readonly createdHeight: bigint
}

export interface HeightTimer extends TimerBase {
  readonly kind: 'HEIGHT'
  readonly dueHeight: bigint
}

export interface IntervalTimer extends TimerBase {
  readonly kind: 'INTERVAL'
  readonly dueHeight: bigint
  readonly everyBlocks: number
  /** Failed fires in a row; counts towards MAX_CONSECUTIVE_FAILURES. */
  readonly failures: number
}

export interface WatchTimer extends TimerBase {
  readonly kind: 'STATE_WATCH'
  readonly watchKeys: readonly Hex[]
  /** The height of the first match while a fire is pending, otherwise null. */
  readonly dueHeight: bigint | null
  readonly matched: MatchedKeys | null
}

/** Full keys that matched, unique and bytewise sorted. */
export interface MatchedKeys {
  readonly keys: readonly Hex[]
  readonly truncated: boolean
}

export type Timer = HeightTimer | IntervalTimer | WatchTimer
export type TimerKind = Timer['kind']
/** A timer that waits for a height: every one but an idle watch. */
export type DueTimer = Timer & { readonly dueHeight: bigint }

/** The record layout written today; a migrated record carries the next number. */
export const TIMER_VERSION = 1

export function isDueTimer(timer: Timer): timer is DueTimer {
  return timer.dueHeight !== null
}

/** Set by someone other than the actor it wakes. */
export function isForeign(timer: Timer): boolean {
  return timer.owner !== timer.target
}

/** Whether keys are bytes, unique and sorted, as every delivery writes them. */
export function isMatchedKeys(matched: unknown): matched is MatchedKeys {
  if (typeof matched !== 'object' || matched === null) return false
  const { keys, truncated } = matched as Partial<MatchedKeys>
  if (!Array.isArray(keys) || typeof truncated !== 'boolean') return false
  return keys.every((key, at) => isCanonicalHex(key) && (at === 0 || (keys[at - 1] as Hex) < key))
}
