/** A token bucket per key: refilled at its rate, up to its burst. Each node counts separately. */
import type { KeyId } from '../../core/access/api-key.ts'
import type { Rate } from '../../core/access/caller.ts'
import type { Clock } from '../../ports/clock.ts'

export interface RateLimiter {
  /**
   * Takes that many tokens, all or none. Otherwise returns how long until there are enough; more than the burst never
   * are.
   */
  take(
    id: KeyId,
    rate: Rate,
    count?: number,
  ): { readonly type: 'taken' } | { readonly type: 'empty'; readonly retryAfterMs: number }
  /** For what was taken, and refused after all. */
  giveBack(id: KeyId, rate: Rate, count: number): void
}

/** Beyond this many buckets, those that are full again are dropped. */
const MAX_BUCKETS = 10_000

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
    take(id, rate, count = 1) {
      const now = clock.monotonic()
      if (buckets.size >= MAX_BUCKETS) forgetFull(now)
      const tokens = levelOf(id, rate, now)
      if (tokens < count) return { type: 'empty', retryAfterMs: Math.ceil(((count - tokens) / rate.perSecond) * 1_000) }
      buckets.set(id, { tokens: tokens - count, at: now, rate })
      return { type: 'taken' }
    },
    giveBack(id, rate, count) {
      const now = clock.monotonic()
      buckets.set(id, { tokens: Math.min(rate.burst, levelOf(id, rate, now) + count), at: now, rate })
    },
  }
}
