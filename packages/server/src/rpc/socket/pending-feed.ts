/** Hashes of transactions that just entered a node's mempool, from a filter that is recreated whenever it is lost. */
import type { Clock } from '../../ports/clock.ts'
import type { Forwarder } from '../forwarder.ts'

export interface PendingFeed {
  listen(listener: (hash: unknown) => void): () => void
}

const POLL_MS = 1_000

export function createPendingFeed(ports: {
  readonly forwarder: Forwarder
  readonly clock: Pick<Clock, 'schedule'>
}): PendingFeed {
  const { forwarder, clock } = ports
  const listeners = new Set<(hash: unknown) => void>()
  let filter: unknown = null
  let cancel = (): void => {}
  /** Grows when the last listener leaves, so that a poll that is still under way knows that it is not the one. */
  let run = 0

  async function poll(own: number): Promise<void> {
    if (filter === null) {
      const [made] = await forwarder.forwardEach([{ method: 'eth_newPendingTransactionFilter', params: [] }])
      filter = made?.status === 'fulfilled' ? made.value : null
    } else {
      const [changes] = await forwarder.forwardEach([{ method: 'eth_getFilterChanges', params: [filter] }])
      if (changes?.status !== 'fulfilled' || !Array.isArray(changes.value)) filter = null
      else if (own === run) for (const hash of changes.value) for (const listener of [...listeners]) listener(hash)
    }
    if (own === run) cancel = clock.schedule(filter === null ? POLL_MS : POLL_MS / 4, () => void poll(own))
  }

  return {
    listen(listener) {
      const entry = (hash: unknown): void => listener(hash)
      listeners.add(entry)
      if (listeners.size === 1) void poll(run)
      return () => {
        if (!listeners.delete(entry) || listeners.size > 0) return
        run++
        filter = null
        cancel()
      }
    },
  }
}
