/** Which outcomes are worth another try, and after what pause. */

import { backOff, spreadPause } from '../generated/back-off.ts'
import type { Outcome } from './exchange.ts'

export interface RetryPolicy {
  /** The first one included. */
  readonly maxTries: number
  readonly minDelayMs: number
  readonly maxDelayMs: number
}

export const DEFAULT_RETRY: RetryPolicy = { maxTries: 8, minDelayMs: 200, maxDelayMs: 10_000 }
export const NO_RETRY: RetryPolicy = { ...DEFAULT_RETRY, maxTries: 1 }

/** Too many requests; and what a proxy or the service says while something behind it is away. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504])

export function isPassing(status: number): boolean {
  return PASSING.has(status)
}

/** The same call may well succeed later. */
export function isTransient(outcome: Outcome): boolean {
  return outcome.type === 'lost' || (outcome.type === 'refused' && isPassing(outcome.status))
}

/**
 * Null: no more tries. The pause doubles, and a part of it is left to chance so that many callers do not return at
 * once. It is never shorter than the service asked for. If that is longer than `maxDelayMs`, the caller decides.
 */
export function nextDelayMs(
  outcome: Outcome,
  call: { readonly tries: number; readonly repeatable: boolean },
  policy: RetryPolicy,
  chance: number,
): number | null {
  if (call.tries >= policy.maxTries || !isTransient(outcome)) return null
  // A request that wanted to be held can do without, and should not wait for a waiting slot.
  if (outcome.type === 'refused' && outcome.problem?.code === 'too_many_waiting') return null
  // Of a call that must not be done twice, only the one answer that says that nothing was done.
  const undone = outcome.type === 'refused' && outcome.status === 429
  if (!call.repeatable && !undone) return null
  const asked = outcome.type === 'refused' ? (outcome.retryAfterMs ?? 0) : 0
  if (asked > policy.maxDelayMs) return null
  const full = backOff(call.tries, { first: policy.minDelayMs, max: policy.maxDelayMs })
  return Math.round(asked + spreadPause(full, chance))
}
