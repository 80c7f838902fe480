/** When a failed delivery is retried: soon at first, then less and less often, and finally not any more. */
import { backOff, spreadPause } from '../back-off.ts'

export interface RetryPolicy {
  readonly firstPauseMs: number
  readonly longestPauseMs: number
  /** From the first attempt on. */
  readonly giveUpAfterMs: number
}

export interface FailedAttempt {
  /** How many there were, including this one. */
  readonly attempts: number
  readonly sinceFirstMs: number
  /** The pause that the receiver asked for. */
  readonly retryAfterMs: number | null
  /** At least 0 and below 1. */
  readonly chance: number
}

/** Null: give up. */
export function pauseBeforeRetry(failed: FailedAttempt, policy: RetryPolicy): number | null {
  if (failed.sinceFirstMs >= policy.giveUpAfterMs) return null
  const full = backOff(failed.attempts, { first: policy.firstPauseMs, max: policy.longestPauseMs })
  const pauseMs = spreadPause(full, failed.chance)
  const asked = Math.min(failed.retryAfterMs ?? 0, policy.giveUpAfterMs)
  const left = policy.giveUpAfterMs - failed.sinceFirstMs
  // One last attempt at the very end, instead of none because the pause would go past it.
  return Math.min(Math.ceil(Math.max(pauseMs, asked)), left)
}
