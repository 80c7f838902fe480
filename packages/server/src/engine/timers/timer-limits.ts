/**
 * How many timers a tenant or a signer may have. A count reads as many rows as there are timers, so it is not made for
 * each request: until it is old, what this node has accepted since is added to it. Other nodes do the same, so a limit
 * is exceeded by at most what they accept meanwhile.
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

interface Counted {
  count: number
  readonly at: number
}

const COUNT_AGAIN_MS = 10_000
const MAX_HOLDERS = 10_000

export type CheckTimerLimits = (
  chainId: number,
  holders: { readonly tenant: string; readonly owner: Address },
) => Promise<void>

export function createTimerLimits({ store, clock, maxPerTenant, maxPerSigner }: LimitPorts): CheckTimerLimits {
  const counts = new Map<string, Counted>()

  async function take(chainId: number, of: TimerHolder, max: number): Promise<boolean> {
    const key = `${chainId}:${'tenant' in of ? `tenant:${of.tenant}` : of.owner}`
    let counted = counts.get(key)
    // Near the limit it is exact: timers that were cancelled make room at once.
    if (counted === undefined || clock.now() - counted.at >= COUNT_AGAIN_MS || counted.count >= max) {
      counted = { count: await store.countTimers(chainId, of, max), at: clock.now() }
      if (counts.size >= MAX_HOLDERS) counts.clear()
      counts.set(key, counted)
    }
    counted.count += 1
    return counted.count <= max
  }

  return async (chainId, { tenant, owner }) => {
    const limits = [
      { of: { tenant }, max: maxPerTenant, whose: 'You have', setting: 'maxTimersPerTenant' },
      { of: { owner }, max: maxPerSigner, whose: `Signer ${owner} has`, setting: 'maxTimersPerSigner' },
    ]
    for (const { of, max, whose, setting } of limits) {
      if (await take(chainId, of, max)) continue
      const message = `${whose} reached the limit of ${max} timers. Cancel one first, or raise ${setting}.`
      throw new AppError('timer_limit', message)
    }
  }
}
