/**
 * How often to ask for the head. A quarter of the block time, as the heads themselves show it, so a new block is
 * noticed soon on any chain without configuration. A chain that makes blocks on demand is polled less and less.
 */
import type { Clock } from '../../ports/clock.ts'

export interface PollPace {
  /** A head was read. */
  learn(height: number): void
  delayMs(): number
}

const FIRST_MS = 500
const MIN_MS = 250
const POLLS_PER_BLOCK = 4
/** Of the newest measurement in the average: high enough to follow a chain that changes its pace within a few blocks. */
const WEIGHT = 0.3

/** Always the same: it was configured. */
export function createFixedPace(delayMs: number): PollPace {
  return { learn() {}, delayMs: () => delayMs }
}

export function createPollPace(longestMs: number, clock: Pick<Clock, 'monotonic'>): PollPace {
  let last: { readonly height: number; readonly at: number } | null = null
  let blockMs: number | null = null

  return {
    learn(height) {
      if (height === last?.height) return
      const now = clock.monotonic()
      if (last !== null && height > last.height) {
        const measured = (now - last.at) / (height - last.height)
        blockMs = blockMs === null ? measured : blockMs + WEIGHT * (measured - blockMs)
      }
      last = { height, at: now }
    },
    delayMs() {
      if (last === null || blockMs === null) return Math.min(FIRST_MS, longestMs)
      const quietMs = clock.monotonic() - last.at
      const paceMs = Math.max(blockMs, quietMs) / POLLS_PER_BLOCK
      return Math.min(longestMs, Math.max(MIN_MS, paceMs))
    },
  }
}
