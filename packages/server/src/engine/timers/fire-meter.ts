/**
 * Adds up what fires have cost, a bounded number with each write of blocks, in turns: fires that wait for long do not hold
 * up those behind them. While no fire is open, it does nothing.
 */
import type { FirePlace, TimerLease, TimerStore, TimerWriteResult } from '../../ports/timer-store.ts'

const FIRES_PER_RUN = 500

/** `hasNew`: some fires became transactions since the last call. */
export type FireMeter = (hasNew: boolean) => Promise<TimerWriteResult & { readonly isAsked?: boolean }>

export function createFireMeter(store: Pick<TimerStore, 'meterFires'>, lease: TimerLease): FireMeter {
  // After a takeover there may be some.
  let mayHaveOpen = true
  let hasOpen = false
  let after: FirePlace | null = null
  return async (hasNew) => {
    if (hasNew) mayHaveOpen = true
    if (!mayHaveOpen) return { type: 'written' }
    const metered = await store.meterFires(lease, after, FIRES_PER_RUN)
    if (metered.type === 'fenced') return metered
    hasOpen ||= metered.open > 0
    after = metered.next
    if (after === null) {
      mayHaveOpen = hasOpen
      hasOpen = false
    }
    return { type: 'written', isAsked: metered.retiring > 0 }
  }
}
