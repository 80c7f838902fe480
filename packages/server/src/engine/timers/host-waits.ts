/** What a loop waits for: a block, a request, or some time after a failure. Signals during its work are kept. */
import type { Clock } from '../../ports/clock.ts'

export interface HostWaits {
  /** There may be a new block, or something is known about conditions. */
  look(): void
  /** There may be a command to answer. */
  ask(): void
  /** The signals since the last call. */
  take(): { readonly isAsked: boolean }
  untilWoken(): Promise<void>
  /** Only a stop ends it early: signals that arrive meanwhile are processed then. */
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
