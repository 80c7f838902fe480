/**
 * How many requests may be held open by the service at one time, so that it answers the moment something happens. Browsers
 * have six connections to a host; were all of them held, nothing else would get through. Whoever finds no place asks again
 * and again instead.
 */
export interface HeldWaits {
  /** Runs it with the time that it may be held for, or with null where there is no place. */
  with<T>(run: (holdMs: number | null) => Promise<T>): Promise<T>
}

const [MAX_HELD, MAX_HOLD_MS] = [4, 15_000]

/** What is held must still be answered before the request is given up. */
export function createHeldWaits(timeoutMs: number): HeldWaits {
  const holdMs = Math.min(MAX_HOLD_MS, Math.floor(timeoutMs / 2))
  let held = 0
  return {
    async with(run) {
      if (held >= MAX_HELD || holdMs < 1) return run(null)
      held++
      try {
        return await run(holdMs)
      } finally {
        held--
      }
    },
  }
}
