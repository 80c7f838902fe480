/** A clock on the global timers, so that `vi.useFakeTimers` moves it. */
import type { Clock } from '../../ports/clock.ts'

export const timerClock: Clock = {
  now: () => Date.now(),
  monotonic: () => Date.now(),
  schedule(delayMs, run) {
    const timer = setTimeout(run, delayMs)
    return () => clearTimeout(timer)
  },
}
