/** One simulated process: its clock, which may be wrong, and whether it runs, is frozen, or is gone. */
import type { Clock } from '../../../server/src/ports/clock.ts'
import type { Timeline } from '../timeline.ts'

export interface SimProcess {
  readonly clock: Clock
  /** Delivers something to the process: at once, when it thaws, or never. */
  deliver(run: () => void): void
  /** Freezes it for this long; what was due meanwhile happens when it continues. */
  freeze(ms: number): void
  kill(): void
  isAlive(): boolean
  isFrozen(): boolean
  /** The time according to the database. */
  adjust(databaseNowMs: number, askedAt: number, answeredAt: number): void
}

export interface ClockFault {
  /** How far its wall clock is off at the start, in milliseconds. */
  readonly skewMs: number
  /** How fast its clock runs: 1 is right. */
  readonly rate: number
}

export const EPOCH_MS = Date.UTC(2030, 0, 1)

export function createProcess(timeline: Timeline, { skewMs, rate }: ClockFault): SimProcess {
  const startedAt = timeline.now()
  const monotonic = (): number => (timeline.now() - startedAt) * rate
  let base = EPOCH_MS + startedAt + skewMs
  let alive = true
  let frozenUntil = Number.NEGATIVE_INFINITY
  const isFrozen = (): boolean => frozenUntil > timeline.now()

  function deliver(run: () => void): void {
    if (!alive) return
    if (isFrozen()) timeline.at(frozenUntil, () => deliver(run))
    else run()
  }

  return {
    clock: {
      now: () => Math.round(base + monotonic()),
      monotonic,
      schedule: (delayMs, run) => {
        let isWanted = true
        // Like timers in Node.js: whole milliseconds, at least one.
        const cancel = timeline.at(timeline.now() + Math.max(1, Math.trunc(delayMs)) / rate, () => {
          deliver(() => {
            if (isWanted) run()
          })
        })
        return () => {
          isWanted = false
          cancel()
        }
      },
    },
    deliver,
    freeze(ms) {
      frozenUntil = Math.max(frozenUntil, timeline.now() + ms)
    },
    kill() {
      alive = false
    },
    isAlive: () => alive,
    isFrozen,
    adjust: (databaseNowMs, askedAt, answeredAt) => {
      base = databaseNowMs - (askedAt + answeredAt) / 2
    },
  }
}
