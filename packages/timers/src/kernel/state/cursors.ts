/**
 * rr_cursor of R18: h·2^32 + i of each target's last materialized fire, i its place among that block's fires.
 *
 * A target that has no timers left keeps its cursor for DEDUP_WINDOW blocks, or it could go to the front of every tie
 * by setting its timers one at a time; after that it is forgotten, or there would be one for every target ever served.
 */
import type { Hex } from '../bytes/hex.ts'
import type { TimerState } from './timer-state.ts'

const PLACE_BITS = 32n

export function cursorAt(height: bigint, place: number): bigint {
  return (height << PLACE_BITS) | BigInt(place)
}

export function heightOfCursor(cursor: bigint): bigint {
  return cursor >> PLACE_BITS
}

export function cursorOf(state: Pick<TimerState, 'cursors'>, target: Hex): bigint {
  return state.cursors.get(target) ?? 0n
}

export interface CursorMove {
  readonly target: Hex
  readonly cursor: bigint
}

export function moveCursors(state: TimerState, moves: readonly CursorMove[]): TimerState {
  let { cursors, restingCursors } = state
  for (const { target, cursor } of moves) {
    const before = cursors.get(target)
    cursors = cursors.set(target, cursor)
    if (before !== undefined) restingCursors = restingCursors.delete(before)
    if (!state.targetTallies.has(target)) restingCursors = restingCursors.set(cursor, target)
  }
  return { ...state, cursors, restingCursors }
}

/** Drops cursors of targets without timers whose last fire lies further back than the window. */
export function sweepCursors(state: TimerState, height: bigint, window: bigint): TimerState {
  let { cursors, restingCursors } = state
  for (const { key: cursor, value: target } of state.restingCursors.entries()) {
    if (height - heightOfCursor(cursor) <= window) break
    cursors = cursors.delete(target)
    restingCursors = restingCursors.delete(cursor)
  }
  return cursors === state.cursors ? state : { ...state, cursors, restingCursors }
}
