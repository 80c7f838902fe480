/**
 * A clock that only a test moves. Between two timers everything that can run without time runs to its end, so that a
 * test sees the same order every time; and timers that keep each other alive are noticed instead of hanging.
 */
import type { Clock } from '../../ports/clock.ts'

export interface ManualClock extends Clock {
  /** Runs all that is due within this time, each timer at its own moment. */
  advance(ms: number): Promise<void>
  /** Moves time without letting anything run: a process that was frozen. */
  freeze(ms: number): void
  /** Lets what needs no time run to its end. */
  settle(): Promise<void>
  /** Timers that are waiting now. */
  waiting(): number
  /** Timers that have run so far. */
  fired(): number
}

interface Timer {
  readonly at: number
  readonly run: () => void
}

/** More timers than this in one move are a loop that feeds itself. */
const TOO_MANY = 200_000

export function createManualClock(startMs = Date.UTC(2030, 0, 1)): ManualClock {
  const timers = new Set<Timer>()
  let elapsed = 0
  let fired = 0

  /** The turn of the event loop comes only after every promise that is ready; two turns, for what is handed on by one. */
  async function settle(): Promise<void> {
    for (let turn = 0; turn < 2; turn++) await new Promise<void>((resolve) => void setImmediate(resolve))
  }

  function findNext(until: number): Timer | null {
    let next: Timer | null = null
    for (const timer of timers) if (timer.at <= until && (next === null || timer.at < next.at)) next = timer
    return next
  }

  async function advance(ms: number): Promise<void> {
    const until = elapsed + ms
    await settle()
    const before = fired
    for (let timer = findNext(until); timer !== null; timer = findNext(until)) {
      if (fired - before > TOO_MANY) throw new Error(`more than ${TOO_MANY} timers within ${ms} ms: a hot loop`)
      timers.delete(timer)
      elapsed = Math.max(elapsed, timer.at)
      fired++
      timer.run()
      await settle()
    }
    elapsed = Math.max(elapsed, until)
  }

  return {
    now: () => startMs + elapsed,
    monotonic: () => elapsed,
    schedule(delayMs, run) {
      const timer = { at: elapsed + Math.max(0, delayMs), run }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    advance,
    freeze(ms) {
      elapsed += ms
    },
    settle,
    waiting: () => timers.size,
    fired: () => fired,
  }
}
