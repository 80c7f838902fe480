/** The machine's clock, shown in the database's time: leases and schedules of all nodes are on one clock, the database's. */
import { performance } from 'node:perf_hooks'
import type { Clock } from '../ports/clock.ts'

export interface SystemClock extends Clock {
  /** The database said that this is the time, asked and answered at these monotonic moments. */
  adjust(databaseNowMs: number, askedAt: number, answeredAt: number): void
}

export function createSystemClock(machine = { now: Date.now, monotonic: () => performance.now() }): SystemClock {
  const { monotonic } = machine
  let base = machine.now() - monotonic()
  return {
    now: () => Math.round(base + monotonic()),
    monotonic,
    schedule: (delayMs, run) => {
      const timer = setTimeout(run, delayMs)
      return () => clearTimeout(timer)
    },
    adjust: (databaseNowMs, askedAt, answeredAt) => {
      // The database read its clock at some moment in between. A slow answer says little, so the clock moves no further
      // than the answer proves: otherwise every busy second would shift it.
      base = Math.min(Math.max(base, databaseNowMs - answeredAt), databaseNowMs - askedAt)
    },
  }
}
