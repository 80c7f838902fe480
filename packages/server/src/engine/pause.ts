/** Waits, by the engine's own clock. */
import type { Clock } from '../ports/clock.ts'

export function pause(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.schedule(delayMs, resolve)
  })
}
