/**
 * How many calls a second a node takes, learned from its refusals. Nothing is assumed until the first one. After it, calls
 * leave at no more than nine tenths of the best that got through in any two of the last ten seconds, and a little faster
 * for each second in which calls waited and none was refused; much faster as long as that is only a guess.
 *
 * Now and then calls leave at twice that rate for two seconds, whatever is refused: if more of them get through, the limit
 * was not where it seemed. That finds a limit that has risen, and keeps a node that refuses at random, whatever the rate,
 * from being asked less and less. A trial that brings nothing is repeated only after twice the time.
 */
import type { Clock } from '../../ports/clock.ts'

export interface CallRate {
  /** Calls per second; null if no limit is known. */
  perSecond(): number | null
  /** Takes up to this many calls out of what may leave now; 0 if not even `atLeast` may. */
  take(wanted: number, atLeast: number): number
  /** How long until this many may leave. */
  waitMs(count: number): number
  noteAnswered(calls: number): void
  /** The node refused a request of this many calls, or part of it, because of its rate limit. */
  noteRefused(calls: number): void
}

const SECOND = 1_000
const REMEMBERED_SECONDS = 10
const SLOWEST = 2
/** Where too little was asked before the first refusal to tell. */
const FIRST_GUESS = 10
/** What may leave in one go, as a part of what may leave in a second: a burst must not use up a provider's whole second. */
const BURST = 0.2
const FORGOTTEN_AFTER_MS = 5 * 60_000
const TRIAL_MS = 2 * SECOND
const TRIAL_FACTOR = 2
const TRIAL_INTERVALS_MS = { shortest: 8 * SECOND, longest: 64 * SECOND }

export function createCallRate(clock: Pick<Clock, 'monotonic'>): CallRate {
  const answered = new Map<number, number>()
  let rate: number | null = null
  let tokens = 0
  let filledAt = 0
  let refusedAt = Number.NEGATIVE_INFINITY
  let cutAt = Number.NEGATIVE_INFINITY
  let grownAt = 0
  let pressed = false
  /** The rate is not one that was seen to get through, and may be far too low. */
  let guessed = false
  let trialEndsAt: number | null = null
  let trialIntervalMs = TRIAL_INTERVALS_MS.shortest
  let nextTrialAt = 0

  /** Of two seconds in a row, since a provider's own seconds begin at other moments than ours. */
  function findBestRate(): number {
    const oldest = Math.floor(clock.monotonic() / SECOND) - REMEMBERED_SECONDS
    for (const second of answered.keys()) if (second < oldest) answered.delete(second)
    const pairs = [...answered].map(([second, calls]) => (calls + (answered.get(second + 1) ?? 0)) / 2)
    return Math.max(0, ...pairs)
  }

  function refill(now: number): void {
    if (rate === null) return
    if (now - refusedAt > FORGOTTEN_AFTER_MS) {
      rate = null
      return
    }
    rate = adjust(rate, now)
    const pace = trialEndsAt === null ? rate : rate * TRIAL_FACTOR
    // Two at least: a call, and the question which chain answers it.
    tokens = Math.min(Math.max(2, pace * BURST), tokens + ((now - filledAt) / SECOND) * pace)
    filledAt = now
  }

  function adjust(current: number, now: number): number {
    if (trialEndsAt !== null) return now < trialEndsAt ? current : endTrial(current, now)
    if (!pressed) return current
    if (now >= nextTrialAt) {
      trialEndsAt = now + TRIAL_MS
      return current
    }
    if (now - Math.max(grownAt, refusedAt) < SECOND) return current
    grownAt = now
    pressed = false
    return guessed ? current * 1.5 : current + Math.max(1, current * 0.05)
  }

  function endTrial(current: number, now: number): number {
    const found = findBestRate() * 0.9
    const isGain = found > current * 1.1
    const { shortest, longest } = TRIAL_INTERVALS_MS
    trialIntervalMs = isGain ? shortest : Math.min(longest, trialIntervalMs * 2)
    trialEndsAt = null
    nextTrialAt = now + trialIntervalMs
    return Math.max(current, found)
  }

  return {
    perSecond: () => (rate === null ? null : Math.round(rate)),
    take(wanted, atLeast) {
      refill(clock.monotonic())
      if (rate === null) return wanted
      const granted = Math.min(wanted, Math.floor(tokens))
      if (granted < wanted) pressed = true
      if (granted < Math.min(wanted, atLeast)) return 0
      tokens -= granted
      return granted
    },
    waitMs(count) {
      if (rate === null) return 0
      refill(clock.monotonic())
      const wait = rate === null ? 0 : Math.max(0, ((count - tokens) / rate) * SECOND)
      if (wait > 0) pressed = true
      return wait
    },
    noteAnswered(calls) {
      const second = Math.floor(clock.monotonic() / SECOND)
      answered.set(second, (answered.get(second) ?? 0) + calls)
      if (answered.size > REMEMBERED_SECONDS + 1) findBestRate()
    },
    noteRefused(calls) {
      const now = clock.monotonic()
      refill(now)
      refusedAt = now
      // Several requests that were under way together are refused together: that is one piece of news.
      if (now - cutAt < SECOND || trialEndsAt !== null) return
      cutAt = now
      tokens = 0
      filledAt = now
      const proven = findBestRate() * 0.9
      if (rate === null) nextTrialAt = now + TRIAL_INTERVALS_MS.shortest
      const guess = rate === null ? Math.max(FIRST_GUESS, calls / 2) : 0
      guessed = guess > proven
      rate = Math.max(SLOWEST, proven, guess, (rate ?? 0) / 2)
    },
  }
}
