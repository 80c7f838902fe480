/**
 * How many calls one HTTP request to a node may hold. A node that refuses a batch for its size, or refuses arrays at all,
 * is believed for a minute: a node or proxy in trouble may refuse once what it takes at other times. One that answers 429
 * gets half as many at once, and one more with every full batch that it takes.
 */
import type { Clock } from '../../ports/clock.ts'

export interface BatchSize {
  current(): number
  noteTaken(calls: number): void
  noteRateRefused(calls: number): void
  noteSizeRefused(calls: number): void
  noteArraysRefused(): void
}

const RECHECK_MS = 60_000

export function createBatchSize(largest: number, clock: Pick<Clock, 'monotonic'>): BatchSize {
  let fitting = largest
  let recheckAt = 0
  let underRate = largest

  function restrict(size: number): void {
    fitting = Math.max(1, size)
    recheckAt = clock.monotonic() + RECHECK_MS
  }

  return {
    current() {
      if (clock.monotonic() >= recheckAt) fitting = largest
      return Math.min(fitting, underRate)
    },
    noteTaken(calls) {
      if (calls >= underRate) underRate = Math.min(largest, underRate + 1)
    },
    noteRateRefused(calls) {
      // A single call that is refused says nothing about batches.
      if (calls > 1) underRate = Math.max(1, Math.min(underRate, calls >> 1))
    },
    noteSizeRefused: (calls) => restrict(Math.min(fitting, calls >> 1)),
    noteArraysRefused: () => restrict(1),
  }
}
