/**
 * Refusals of one tenant that wait to be sent. A caller that retries at once would cost more than the refusal saves, so
 * they are sent one by one. If many wait, they are sent so evenly that nobody waits too long: hundreds at one moment would
 * hold up everybody.
 */
import type { Clock } from '../../ports/clock.ts'
import type { Gone } from './gone.ts'

export interface RefusalLine {
  size(): number
  /** Whether one may be sent at once, because none waits and few were sent lately. Then it counts as sent. */
  skip(): boolean
  /** Resolves when one may be sent, after the delay at the earliest, or when the caller has gone. */
  wait(gone: Gone, delayMs: number): Promise<void>
  /** To be called again and again. */
  send(): void
}

interface Waiting {
  readonly since: number
  readonly from: number
  settle(): void
}

export const REFUSAL_EVERY_MS = 20
/** May be sent at once. */
const BURST = 10
/** Together with the wait in the queue, less than the time that a request may take to arrive. */
export const MAX_REFUSAL_MS = 15_000
/** How much time is made up for if `send` is called late. */
const CATCH_UP_MS = 10

export function createRefusalLine(clock: Pick<Clock, 'monotonic'>): RefusalLine {
  const waiting = new Set<Waiting>()
  let sentAt = Number.NEGATIVE_INFINITY

  /** How long after one the next is sent, so that all are sent in time. */
  function gapAt(now: number): number {
    let [gap, place] = [REFUSAL_EVERY_MS, 0]
    for (const { since } of waiting) {
      place += 1
      gap = Math.min(gap, Math.max(1, since + MAX_REFUSAL_MS - now) / place)
    }
    return gap
  }

  return {
    size: () => waiting.size,
    skip() {
      const now = clock.monotonic()
      const at = Math.max(now - BURST * REFUSAL_EVERY_MS, sentAt + REFUSAL_EVERY_MS)
      if (waiting.size > 0 || at > now) return false
      sentAt = at
      return true
    },
    wait(gone, delayMs) {
      if (gone.aborted) return Promise.resolve()
      const since = clock.monotonic()
      return new Promise((resolve) => {
        const settle = (): void => {
          waiting.delete(entry)
          gone.removeEventListener('abort', settle)
          resolve()
        }
        const entry: Waiting = { since, from: since + delayMs, settle }
        waiting.add(entry)
        gone.addEventListener('abort', settle)
      })
    },
    send() {
      const now = clock.monotonic()
      const gap = gapAt(now)
      for (const { from, settle } of waiting) {
        if (from > now || sentAt + gap > now) return
        sentAt = Math.max(sentAt + gap, now - CATCH_UP_MS)
        settle()
      }
    },
  }
}
