/** The pulse on the browser's own clock and page visibility. */
import { createPulse, type Pulse } from './pulse.ts'

export function createBrowserPulse(): Pulse {
  return createPulse({
    now: () => Date.now(),
    schedule(delayMs, run) {
      const timer = setTimeout(run, delayMs)
      return () => clearTimeout(timer)
    },
    isVisible: () => document.visibilityState === 'visible',
    onVisibilityChange: (listener) => document.addEventListener('visibilitychange', listener),
    report: (error) => reportError(error),
  })
}
