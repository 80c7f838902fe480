/** A materialized fire: what the target will be woken with, and its canonical bytes. */
import { byteLength, type Hex, keccakDigits, uintDigits } from '../bytes/hex.ts'
import type { MatchedKeys, TimerKind } from '../state/timer.ts'

export interface MailboxEntry {
  readonly deliverId: Hex
  readonly height: bigint
  readonly timerId: Hex
  readonly fireSeq: number
  readonly owner: Hex
  readonly target: Hex
  readonly payloadSnapshot: Hex
  readonly gasLimitSnapshot: bigint
  readonly bidSnapshot: bigint
  readonly triggerCtx: TriggerContext
}

/** Why it fired; `matched` is null for anything but a watch. */
export interface TriggerContext {
  readonly kind: TimerKind
  readonly dueHeight: bigint
  readonly matched: MatchedKeys | null
}

/** The code of a kind on the wire, in the order of §6.1. */
export const KIND_CODES: { readonly [K in TimerKind]: number } = { HEIGHT: 0, STATE_WATCH: 1, INTERVAL: 2 }

/** Canonical bytes of an entry: every field, fixed order, lengths before what varies. */
export function encodeEntry(entry: MailboxEntry): Hex {
  const { triggerCtx: trigger } = entry
  const matched = trigger.matched ?? { keys: [], truncated: false }
  const keys = matched.keys.map((key) => `${uintDigits(byteLength(key), 4)}${key.slice(2)}`)
  return `0x${[
    entry.deliverId.slice(2),
    uintDigits(entry.height, 8),
    entry.timerId.slice(2),
    uintDigits(entry.fireSeq, 4),
    entry.owner.slice(2),
    entry.target.slice(2),
    uintDigits(entry.gasLimitSnapshot, 8),
    uintDigits(entry.bidSnapshot, 16),
    uintDigits(KIND_CODES[trigger.kind], 1),
    uintDigits(trigger.dueHeight, 8),
    uintDigits(keys.length, 2),
    ...keys,
    matched.truncated ? '01' : '00',
    uintDigits(byteLength(entry.payloadSnapshot), 4),
    entry.payloadSnapshot.slice(2),
  ].join('')}`
}

/** R3: tells a harmless repeat (same id, same digest) from a fork conflict (same id, other digest). */
export function entryDigestOf(entry: MailboxEntry): Hex {
  return keccakDigits(encodeEntry(entry).slice(2))
}
