/** Waits for a while, or until the signal fires; the caller checks the signal afterwards. */
import { setTimeout as delay } from 'node:timers/promises'

export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, { signal })
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
