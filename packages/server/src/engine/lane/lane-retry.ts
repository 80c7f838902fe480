/** When a lane that failed may run its next cycle. What arrives meanwhile is kept. */

import { backOff } from '../../core/back-off.ts'
import type { Clock } from '../../ports/clock.ts'

const PAUSES = { first: 200, max: 2_000 }
/** A lane that stores something this long after a failure has recovered. */
const CLEAN_MS = 250

export interface LaneRetry {
  pause(): void
  /** Another writer's change is expected once. If data is stale again right after a load, the lane must not spin. */
  pauseIfRepeated(): void
  /** A write was stored. Right after a failure this proves little: a reload may store one thing while another fails. */
  reset(): void
  /** Zero or less: the lane may run. */
  remainingMs(): number
}

export function createLaneRetry(clock: Pick<Clock, 'monotonic'>): LaneRetry {
  let failures = 0
  let failedAt = Number.NEGATIVE_INFINITY
  let resumeAt = Number.NEGATIVE_INFINITY

  function fail(): void {
    failures++
    failedAt = clock.monotonic()
  }

  function pause(): void {
    fail()
    resumeAt = failedAt + backOff(failures, PAUSES)
  }

  return {
    pause,
    pauseIfRepeated: () => {
      if (failures > 0) pause()
      else fail()
    },
    reset: () => {
      if (clock.monotonic() - failedAt > CLEAN_MS) failures = 0
    },
    remainingMs: () => resumeAt - clock.monotonic(),
  }
}
