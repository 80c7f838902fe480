/** What things cost on the reference chain: CIP-3's table, and R29 for timers. */
import { byteLength, type Hex } from '../kernel/bytes/hex.ts'
import type { Timer } from '../kernel/state/timer.ts'

export const CYCLE_COSTS = {
  read: 10n,
  write: 200n,
  send: 80n,
  /** Set, update or cancel a timer; also when it is refused. */
  timerCall: 200n,
  /** Waking an actor, whoever does it. */
  dispatch: 100n,
  transfer: 100n,
  deploy: 200n,
} as const

const RECORD_CELLS = 130
const HEIGHT_INDEX_CELLS = 60
const KEY_RECORD_CELLS = 2
const KEY_INDEX_CELLS = 52

/** Cells that a new timer takes in its record and in the index it enters. */
export function cellsOfTimer(timer: Timer): bigint {
  const keys = timer.kind === 'STATE_WATCH' ? timer.watchKeys.map(byteLength) : []
  const record =
    RECORD_CELLS + byteLength(timer.payload) + keys.reduce((sum, length) => sum + KEY_RECORD_CELLS + length, 0)
  const index =
    timer.kind === 'STATE_WATCH' ? keys.reduce((sum, length) => sum + KEY_INDEX_CELLS + length, 0) : HEIGHT_INDEX_CELLS
  return BigInt(record + index)
}

/** An update pays for the bytes it adds; shorter payloads give nothing back. */
export function cellsOfUpdate(before: Timer, after: Timer): bigint {
  return BigInt(Math.max(0, byteLength(after.payload) - byteLength(before.payload)))
}

export function cellsOfBytes(...parts: readonly Hex[]): bigint {
  return BigInt(parts.reduce((sum, part) => sum + byteLength(part), 0))
}
