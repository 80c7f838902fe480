/** A bucket of tokens for each key: refilled at its rate, never fuller than its burst. Each node counts for itself. */
import type { KeyId, Rate } from '../core/api-key.ts'
import type { Clock } from '../ports/clock.ts'

export interface RateLimiter {
  /** Takes one; else how long it is until there is one again. */
  take(id: KeyId, rate: Rate): { readonly type: 'taken' } | { readonly type: 'empty'; readonly retryAfterMs: number }
}

/** Beyond so many, those that are full again are forgotten. */
const MOST_BUCKETS = 10_000

export function createRateLimiter({ clock }: { readonly clock: Pick<Clock, 'monotonic'> }): RateLimiter {
  const buckets = new Map<KeyId, { readonly tokens: number; readonly at: number; readonly rate: Rate }>()

  function levelOf(id: KeyId, rate: Rate, now: number): number {
    const bucket = buckets.get(id)
    if (bucket === undefined) return rate.burst
    return Math.min(rate.burst, bucket.tokens + ((now - bucket.at) / 1_000) * rate.perSecond)
  }

  function forgetFull(now: number): void {
    for (const [id, { rate }] of buckets) if (levelOf(id, rate, now) >= rate.burst) buckets.delete(id)
  }

  return {
    take(id, rate) {
      const now = clock.monotonic()
      if (buckets.size >= MOST_BUCKETS) forgetFull(now)
      const tokens = levelOf(id, rate, now)
      if (tokens < 1) return { type: 'empty', retryAfterMs: Math.ceil(((1 - tokens) / rate.perSecond) * 1_000) }
      buckets.set(id, { tokens: tokens - 1, at: now, rate })
      return { type: 'taken' }
    },
  }
}
