/** What a loop waits for: a block, a question, or some time after a failure. What is told while it works is not lost. */
import type { Clock } from '../../ports/clock.ts'

export interface HostWaits {
  /** There may be a new block. */
  look(): void
  /** There may be something to answer. */
  ask(): void
  /** What was told since the last time. */
  take(): { readonly isAsked: boolean }
  untilWoken(): Promise<void>
  /** Only a stop ends it early: what is told meanwhile is looked at then. */
  untilRetry(delayMs: number): Promise<void>
  stop(): void
}

export function createHostWaits(clock: Pick<Clock, 'schedule'>): HostWaits {
  let isAsked = true
  let isLooked = true
  let isStopped = false
  let wake = (): void => {}
  let endRetry = (): void => {}

  return {
    look: () => {
      isLooked = true
      wake()
    },
    ask: () => {
      isAsked = true
      wake()
    },
    take: () => {
      const told = { isAsked }
      isAsked = false
      isLooked = false
      return told
    },
    untilWoken: () =>
      isStopped || isAsked || isLooked
        ? Promise.resolve()
        : new Promise((resolve) => {
            wake = resolve
          }),
    untilRetry: (delayMs) =>
      isStopped
        ? Promise.resolve()
        : new Promise((resolve) => {
            const cancel = clock.schedule(delayMs, resolve)
            endRetry = () => {
              cancel()
              resolve()
            }
          }),
    stop: () => {
      isStopped = true
      wake()
      endRetry()
    },
  }
}
