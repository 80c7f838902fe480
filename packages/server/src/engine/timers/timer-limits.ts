/**
 * How many timers a tenant or a signer may have. A count reads as many rows as there are timers, so it is not made for
 * each request: until it is old, what this node has accepted since is added to it. Requests that need a count share it,
 * and the longer it takes, the longer it is used, so that counting takes one percent of the time at most. What this node
 * is about to make is not stored yet, so it is added to every count. Other nodes do the same, so a limit is exceeded by
 * at most what they accept meanwhile.
 */
import { AppError } from '../../core/app-error.ts'
import type { Address } from '../../core/hex.ts'
import type { Clock } from '../../ports/clock.ts'
import type { TimerHolder, TimerStore } from '../../ports/timer-store.ts'

interface LimitPorts {
  readonly store: Pick<TimerStore, 'countTimers'>
  readonly clock: Pick<Clock, 'now'>
  readonly maxPerTenant: number
  readonly maxPerSigner: number
}

interface Holder {
  count: number
  /** Admitted, and not known to be stored: a count may have missed them. */
  open: number
  /** Until when the count is good enough, far from the limit. */
  goodUntil: number
  /** The count in progress, and the one after it. */
  counting: Promise<void>
  next: Promise<void> | null
}

const COUNT_AGAIN_MS = 10_000
/** A count is used for this many times as long as it took. */
const USED_FOR = 100
const MAX_HOLDERS = 10_000

/** Throws if there is no room. Call what it returns when the timer is made, or is not going to be. */
export type CheckTimerLimits = (
  chainId: number,
  holders: { readonly tenant: string; readonly owner: Address },
) => Promise<() => void>

export function createTimerLimits({ store, clock, maxPerTenant, maxPerSigner }: LimitPorts): CheckTimerLimits {
  const holders = new Map<string, Holder>()

  function holderOf(chainId: number, of: TimerHolder): Holder {
    const key = `${chainId}:${'tenant' in of ? `tenant:${of.tenant}` : of.owner}`
    const known = holders.get(key)
    if (known !== undefined) return known
    const holder = { count: 0, open: 0, goodUntil: Number.NEGATIVE_INFINITY, counting: Promise.resolve(), next: null }
    if (holders.size >= MAX_HOLDERS) holders.clear()
    holders.set(key, holder)
    return holder
  }

  /** A count that begins after this call. All who ask until it begins share it. */
  function countAnew(holder: Holder, count: () => Promise<number>): Promise<void> {
    const begin = (): Promise<void> => {
      const startedAt = clock.now()
      holder.next = null
      holder.counting = count().then((counted) => {
        holder.count = counted + holder.open
        holder.goodUntil = clock.now() + Math.max(COUNT_AGAIN_MS, USED_FOR * (clock.now() - startedAt))
      })
      return holder.counting
    }
    // Whether the one before it failed does not matter.
    holder.next ??= holder.counting.then(begin, begin)
    return holder.next
  }

  /** Null if there is no room. */
  async function take(chainId: number, of: TimerHolder, max: number): Promise<Holder | null> {
    const holder = holderOf(chainId, of)
    // Near the limit it is exact: timers that were cancelled make room at once.
    if (clock.now() >= holder.goodUntil || holder.count >= max)
      await countAnew(holder, () => store.countTimers(chainId, of, max))
    if (holder.count >= max) return null
    holder.count += 1
    holder.open += 1
    return holder
  }

  return async (chainId, { tenant, owner }) => {
    const limits = [
      { of: { tenant }, max: maxPerTenant, whose: 'You have', setting: 'maxTimersPerTenant' },
      { of: { owner }, max: maxPerSigner, whose: `Signer ${owner} has`, setting: 'maxTimersPerSigner' },
    ]
    const taken: Holder[] = []
    const close = () => {
      for (const holder of taken.splice(0)) holder.open -= 1
    }
    for (const { of, max, whose, setting } of limits) {
      const holder = await take(chainId, of, max).catch((error: unknown) => {
        close()
        throw error
      })
      if (holder !== null) {
        taken.push(holder)
        continue
      }
      close()
      const message = `${whose} reached the limit of ${max} timers. Cancel one first, or raise ${setting}.`
      throw new AppError('timer_limit', message)
    }
    return close
  }
}
