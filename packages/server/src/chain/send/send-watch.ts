/**
 * Asks endpoints that are only sent to now and then which chain they serve, so that one that is away is noticed before
 * something has to be sent, and one that is back is found while nothing is.
 */
import type { Clock } from '../../ports/clock.ts'
import { CHAIN_ID_REQUEST } from '../rpc/chain-witness.ts'
import type { Endpoint } from '../rpc/endpoint.ts'

const INTERVAL_MS = 15_000

/** Called with every poll for heads. */
export function createSendWatch(endpoints: readonly Endpoint[], clock: Pick<Clock, 'monotonic'>): () => void {
  const askedAt = new Map<Endpoint, number>()

  return () => {
    const now = clock.monotonic()
    for (const endpoint of endpoints) {
      if (endpoint.waitMs() > 0) continue
      const isDue = now - (askedAt.get(endpoint) ?? Number.NEGATIVE_INFINITY) >= INTERVAL_MS
      if (!isDue && endpoint.state() !== 'failing') continue
      askedAt.set(endpoint, now)
      // What it answers is noted by the endpoint itself.
      void endpoint.send([CHAIN_ID_REQUEST], 'read')
    }
  }
}
