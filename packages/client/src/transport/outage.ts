/** Patience for long waits: tolerates temporary failures for a limited time in a row, and no others. */

import { backOff } from '../generated/back-off.ts'
import { DroverError } from './drover-error.ts'

export interface Outage {
  /** Throws failures that can no longer be tolerated; otherwise returns how long to pause. */
  bear(error: unknown): { readonly error: DroverError; readonly failures: number; readonly delayMs: number }
  end(): void
}

const PAUSES = { first: 500, max: 10_000 }
/** Whatever is asked for: who waits shall notice when it is over. Much longer, and a timer would go off at once. */
const MAX_ASKED_MS = 5 * 60_000

export function createOutage(maxOutageMs: number): Outage {
  let since: number | null = null
  let failures = 0
  return {
    bear(error) {
      if (!(error instanceof DroverError && error.transient)) throw error
      since ??= performance.now()
      const leftMs = since + maxOutageMs - performance.now()
      if (leftMs <= 0) throw error
      const delayMs = backOff(++failures, PAUSES)
      const askedMs = Math.min(error.retryAfterMs ?? 0, MAX_ASKED_MS)
      return { error, failures, delayMs: Math.ceil(Math.min(Math.max(delayMs, askedMs), leftMs)) }
    },
    end() {
      since = null
      failures = 0
    },
  }
}
