/** Removes timers for good: a tombstone lets a late cancel be answered, and a spent client nonce is never free again (R8, R10). */
import { byteLength, type Hex, keccakDigits, uintDigits } from '../bytes/hex.ts'
import { KIND_CODES } from '../deliver/mailbox-entry.ts'
import { replaceTimers } from './replace-timers.ts'
import type { Timer } from './timer.ts'
import type { TimerState, Tombstone } from './timer-state.ts'

export function buryTimers(state: TimerState, timers: readonly Timer[], height: bigint): TimerState {
  if (timers.length === 0) return state
  let { nonces, tombstones, tombstonesByHeight, isolated } = state
  for (const timer of timers) {
    const { timerId, owner, target } = timer
    const tombstone: Tombstone = { timerId, owner, target, height }
    tombstones = tombstones.set(timerId, tombstone)
    tombstonesByHeight = tombstonesByHeight.set(tombstone, null)
    isolated = isolated.delete(timerId)
    if (nonces.has(timerId)) nonces = nonces.set(timerId, argumentsDigest(timer))
  }
  const steps = timers.map((before) => ({ before, after: null }))
  return replaceTimers({ ...state, nonces, tombstones, tombstonesByHeight, isolated }, steps)
}

/** A tombstone within the window; older ones count as gone, whenever they are swept. */
export function findTombstone(state: TimerState, timerId: Hex, height: bigint, window: bigint): Tombstone | null {
  const tombstone = state.tombstones.get(timerId)
  return tombstone === undefined || height - tombstone.height > window ? null : tombstone
}

export function sweepTombstones(state: TimerState, height: bigint, window: bigint): TimerState {
  let { tombstones, tombstonesByHeight } = state
  for (const { key: tombstone } of state.tombstonesByHeight.entries()) {
    if (height - tombstone.height <= window) break
    tombstones = tombstones.delete(tombstone.timerId)
    tombstonesByHeight = tombstonesByHeight.delete(tombstone)
  }
  return tombstones === state.tombstones ? state : { ...state, tombstones, tombstonesByHeight }
}

/** A digest of everything a caller chose when setting the timer. */
export function argumentsDigest(timer: Timer): Hex {
  return keccakDigits(
    [
      uintDigits(KIND_CODES[timer.kind], 1),
      scheduleDigits(timer),
      uintDigits(timer.gasLimit, 8),
      uintDigits(timer.bidFp, 16),
      timer.payload.slice(2),
    ].join(''),
  )
}

function scheduleDigits(timer: Timer): string {
  switch (timer.kind) {
    case 'HEIGHT':
      return uintDigits(timer.dueHeight, 8)
    case 'INTERVAL':
      return uintDigits(timer.everyBlocks, 4)
    case 'STATE_WATCH': {
      const keys = timer.watchKeys.map((key) => `${uintDigits(byteLength(key), 2)}${key.slice(2)}`)
      return `${uintDigits(keys.length, 2)}${keys.join('')}`
    }
  }
}
