/**
 * Limits how many requests the service may hold open at one time to answer the moment something happens. Browsers have
 * six connections per host; if all were held, nothing else would get through. A request that finds no slot polls
 * instead.
 */
export interface HeldWaits {
  /** Runs it with the time that it may be held for, or with null if there is no slot. */
  with<T>(run: (holdMs: number | null) => Promise<T>): Promise<T>
}

const [MAX_HELD, MAX_HOLD_MS] = [4, 15_000]

/** A held request must still get its response before it times out. */
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
