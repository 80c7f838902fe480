/** R21: a due timer that is removed instead of fired, and why. */
import type { Hex } from '../bytes/hex.ts'
import type { Timer } from '../state/timer.ts'

export type EvictionReason = 'gas_below_minimum' | 'target_gone' | 'owner_unfunded'

export interface Eviction {
  readonly type: EvictionReason
  readonly timerId: Hex
  readonly owner: Hex
  readonly target: Hex
  readonly fireSeq: number
}

export function evictionOf(timer: Timer, type: EvictionReason): Eviction {
  const { timerId, owner, target, fireSeq } = timer
  return { type, timerId, owner, target, fireSeq }
}
