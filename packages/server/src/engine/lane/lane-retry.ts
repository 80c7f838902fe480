/** When a lane that failed may run its next cycle. What arrives meanwhile is kept. */

import { backOff } from '../../core/back-off.ts'
import type { Clock } from '../../ports/clock.ts'

const PAUSES = { first: 200, max: 2_000 }

export interface LaneRetry {
  pause(): void
  /** Another writer's change is expected once. If data is stale again after a fresh load, the lane must not spin. */
  pauseIfRepeated(): void
  /** A write was stored. */
  reset(): void
  /** Zero or less: the lane may run. */
  remainingMs(): number
}

export function createLaneRetry(clock: Pick<Clock, 'monotonic'>): LaneRetry {
  /** Since the last write that was stored. */
  let failures = 0
  let resumeAt = Number.NEGATIVE_INFINITY

  function pause(): void {
    failures++
    resumeAt = clock.monotonic() + backOff(failures, PAUSES)
  }

  return {
    pause,
    pauseIfRepeated: () => {
      if (failures++ > 0) pause()
    },
    reset: () => {
      failures = 0
    },
    remainingMs: () => resumeAt - clock.monotonic(),
  }
}
