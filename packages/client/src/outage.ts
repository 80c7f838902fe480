/** Patience of those who wait long: failures that pass are borne for so long in a row, all others not at all. */
import { DroverError } from './drover-error.ts'

export interface Outage {
  /** Throws what is not to be borne any longer; else answers for how long to pause. */
  bear(error: unknown): { readonly error: DroverError; readonly failures: number; readonly delayMs: number }
  end(): void
}

const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [500, 10_000]

export function createOutage(maxOutageMs: number): Outage {
  let since: number | null = null
  let failures = 0
  return {
    bear(error) {
      if (!(error instanceof DroverError && error.transient)) throw error
      since ??= performance.now()
      if (performance.now() - since >= maxOutageMs) throw error
      const delayMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures++)
      return { error, failures, delayMs: Math.max(delayMs, error.retryAfterMs ?? 0) }
    },
    end() {
      since = null
      failures = 0
    },
  }
}
