/** The machine's clock, shown in the database's time: leases and schedules of all nodes are on one clock, the database's. */
import { performance } from 'node:perf_hooks'
import type { Clock } from '../ports/clock.ts'

export interface SystemClock extends Clock {
  /** The database said that this is the time, asked and answered at these monotonic moments. */
  adjust(databaseNowMs: number, askedAt: number, answeredAt: number): void
}

export function createSystemClock(): SystemClock {
  let base = Date.now() - performance.now()
  return {
    now: () => Math.round(base + performance.now()),
    monotonic: () => performance.now(),
    schedule: (delayMs, run) => {
      const timer = setTimeout(run, delayMs)
      return () => clearTimeout(timer)
    },
    adjust: (databaseNowMs, askedAt, answeredAt) => {
      base = databaseNowMs - (askedAt + answeredAt) / 2
    },
  }
}
