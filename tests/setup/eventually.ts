/** Waits for another process that gives no signal, by looking again and again. Fails with the last value seen. */
import { setTimeout as delay } from 'node:timers/promises'

export async function eventually<T>(
  look: () => Promise<T>,
  isGood: (seen: T) => boolean,
  options: { readonly timeoutMs?: number; readonly everyMs?: number } = {},
): Promise<T> {
  const { timeoutMs = 120_000, everyMs = 50 } = options
  const end = Date.now() + timeoutMs
  for (;;) {
    const seen = await look()
    if (isGood(seen)) return seen
    if (Date.now() > end)
      throw new Error(`did not come true within ${timeoutMs} ms; last seen: ${JSON.stringify(seen)?.slice(0, 4_000)}`)
    await delay(everyMs)
  }
}
