/**
 * How many calls a second a node takes, learned from its refusals. Nothing is assumed until the first one. After it, calls
 * leave at no more than nine tenths of the best that got through in any second of the last ten, and a little faster for
 * each second in which calls waited and none was refused. What got through is the measure, and not the refusals: a node
 * that refuses at random, whatever the rate, is not asked less and less for it.
 */
import type { Clock } from '../../ports/clock.ts'

export interface CallRate {
  /** Calls a second; null where no limit is known. */
  perSecond(): number | null
  /** Takes up to so many calls out of what may leave now; 0 where not even `atLeast` may. */
  take(wanted: number, atLeast: number): number
  /** How long until so many may leave. */
  waitMs(count: number): number
  noteAnswered(calls: number): void
  /** The node refused a request of so many calls, or a part of it, for its rate. */
  noteRefused(calls: number): void
}

const SECOND = 1_000
const REMEMBERED_SECONDS = 10
const SLOWEST = 2
/** The first guess, where too little was asked before the first refusal to tell. */
const FIRST_GUESS = 10
/** What may leave in one go, as a part of what may leave in a second: a burst must not use up a provider's whole second. */
const BURST = 0.2
const FORGOTTEN_AFTER_MS = 5 * 60_000

export function createCallRate(clock: Pick<Clock, 'monotonic'>): CallRate {
  const answered = new Map<number, number>()
  let rate: number | null = null
  let tokens = 0
  let filledAt = 0
  let refusedAt = Number.NEGATIVE_INFINITY
  let cutAt = Number.NEGATIVE_INFINITY
  let grownAt = 0
  let pressed = false

  function findBestSecond(): number {
    const oldest = Math.floor(clock.monotonic() / SECOND) - REMEMBERED_SECONDS
    for (const second of answered.keys()) if (second < oldest) answered.delete(second)
    return Math.max(0, ...answered.values())
  }

  function burst(perSecond: number): number {
    // Two: a call and the question which chain answers it.
    return Math.max(2, perSecond * BURST)
  }

  function refill(now: number): void {
    if (rate === null) return
    if (now - refusedAt > FORGOTTEN_AFTER_MS) {
      rate = null
      return
    }
    if (pressed && now - Math.max(grownAt, refusedAt) >= SECOND) {
      rate += Math.max(1, rate * 0.1)
      grownAt = now
      pressed = false
    }
    tokens = Math.min(burst(rate), tokens + ((now - filledAt) / SECOND) * rate)
    filledAt = now
  }

  return {
    perSecond: () => (rate === null ? null : Math.round(rate)),
    take(wanted, atLeast) {
      refill(clock.monotonic())
      if (rate === null) return wanted
      const granted = Math.min(wanted, Math.floor(tokens))
      if (granted < Math.min(wanted, atLeast)) {
        pressed = true
        return 0
      }
      if (granted < wanted) pressed = true
      tokens -= granted
      return granted
    },
    waitMs(count) {
      if (rate === null) return 0
      refill(clock.monotonic())
      return rate === null ? 0 : Math.max(0, ((count - tokens) / rate) * SECOND)
    },
    noteAnswered(calls) {
      const second = Math.floor(clock.monotonic() / SECOND)
      answered.set(second, (answered.get(second) ?? 0) + calls)
      if (answered.size > REMEMBERED_SECONDS + 1) findBestSecond()
    },
    noteRefused(calls) {
      const now = clock.monotonic()
      refill(now)
      refusedAt = now
      tokens = 0
      filledAt = now
      // Several requests that were under way together are refused together: that is one piece of news.
      if (now - cutAt < SECOND) return
      cutAt = now
      const proven = findBestSecond() * 0.9
      rate = Math.max(SLOWEST, proven, rate === null ? Math.max(FIRST_GUESS, calls / 2) : rate / 2)
    },
  }
}
