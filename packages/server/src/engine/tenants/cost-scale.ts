/**
 * What requests cost is an estimate, and a high one: most take the thread far less. So what all of them count is compared
 * with how long the thread has worked. If it has worked less, each counts that much less.
 */
export interface CostScale {
  /** How much of the estimate counts. */
  real(estimatedMs: number): number
  /** So much time has passed. */
  adjust(passedMs: number): void
}

/** Of the last second or so. */
const WINDOW_MS = 1_000
/** The thread seems to do nothing for a moment while requests wait for others, such as the database. */
const MIN = 0.1

export function createCostScale(busyMs?: () => number): CostScale {
  let [estimated, worked, scale] = [0, 0, 1]
  let seenMs = busyMs?.() ?? 0
  return {
    real: (ms) => {
      estimated += ms
      return ms * scale
    },
    adjust: (passedMs) => {
      if (busyMs === undefined) return
      const now = busyMs()
      const kept = Math.exp(-passedMs / WINDOW_MS)
      worked = (worked + now - seenMs) * kept
      estimated *= kept
      seenMs = now
      scale = estimated > worked ? Math.max(MIN, worked / estimated) : 1
    },
  }
}
