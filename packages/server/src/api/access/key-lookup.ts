/**
 * Reads keys from the database with every request, so a revoked key is refused at once, whichever node revoked it: no
 * cached key is older than the request. Requests that arrive during a read share the next read, never the current one,
 * which may have seen the key before it was revoked. So a busy node makes one short read per round trip, not one per
 * request.
 */

import type { KeyId } from '../../core/access/api-key.ts'
import { AppError } from '../../core/app-error.ts'
import { coalesce } from '../../core/coalesced-task.ts'
import type { AccessStore, KeyRecord } from '../../ports/access-store.ts'

export interface KeyLookup {
  find(id: KeyId): Promise<KeyRecord | null>
}

const MAX_WAITING = 10_000

interface Waiting {
  readonly id: KeyId
  resolve(key: KeyRecord | null): void
  reject(error: unknown): void
}

export function createKeyLookup({ store }: { readonly store: Pick<AccessStore, 'findKeys'> }): KeyLookup {
  let waiting: Waiting[] = []

  const reads = coalesce(async () => {
    const batch = waiting
    waiting = []
    if (batch.length > 0) await answer(batch)
  })

  async function answer(batch: readonly Waiting[]): Promise<void> {
    try {
      const ids = [...new Set(batch.map(({ id }) => id))]
      const { keys } = await store.findKeys(ids)
      const found = new Map(ids.map((id, index) => [id, keys[index] ?? null]))
      for (const entry of batch) entry.resolve(found.get(entry.id) ?? null)
    } catch (error) {
      for (const entry of batch) entry.reject(error)
    }
  }

  return {
    find: (id) => {
      if (waiting.length >= MAX_WAITING) {
        const message = 'Too many requests are waiting for their API keys to be checked. Retry after the time given.'
        return Promise.reject(new AppError('queue_full', message, { retryAfterMs: 1_000 }))
      }
      return new Promise((resolve, reject) => {
        waiting.push({ id, resolve, reject })
        void reads.run()
      })
    },
  }
}
