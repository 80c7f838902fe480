/**
 * Reads keys from the database, many in one read, and trusts what it read for half a second. So a busy key costs a few
 * reads a second, not one for each request, stream and socket.
 *
 * A revoked key is refused by every node once its revocation is answered. Nodes are notified and forget what they read;
 * and because a notice can be lost, the revocation is answered only when nothing that was read before it is still
 * trusted anywhere (`untilForgotten`).
 *
 * A key is read again while it is still trusted, so that requests of a busy key do not wait for the database. Requests that
 * arrive during a read share the next read, never the current one.
 */

import type { KeyId } from '../../core/access/api-key.ts'
import { AppError } from '../../core/app-error.ts'
import { coalesce } from '../../core/coalesced-task.ts'
import type { AccessStore, KeyRecord } from '../../ports/access-store.ts'
import type { Clock } from '../../ports/clock.ts'

/** A key, and when it ends by this node's monotonic clock: the clock of the machine may be wrong. Null: never. */
export type KnownKey = KeyRecord & { readonly endsAt: number | null }

export interface KeyLookup {
  find(id: KeyId): Promise<KnownKey | null>
  /** Keys were changed: whatever was read before is read again. */
  forget(): void
}

/** Counted from the beginning of the read. */
const TRUSTED_FOR_MS = 500
const READ_AGAIN_AFTER_MS = 250
/** Clocks of two nodes do not run quite alike. */
const MARGIN_MS = 50
const MAX_WAITING = 10_000
const MAX_TRUSTED = 10_000

interface Waiting {
  readonly id: KeyId
  resolve(key: KnownKey | null): void
  reject(error: unknown): void
}

interface Trusted {
  readonly key: KnownKey
  readonly readAt: number
  isReadAgain: boolean
}

/** Resolves when no node trusts any more what it read before this was called. */
export function untilForgotten(clock: Pick<Clock, 'schedule'>): Promise<void> {
  return new Promise((resolve) => void clock.schedule(TRUSTED_FOR_MS + MARGIN_MS, resolve))
}

export function createKeyLookup(ports: {
  readonly store: Pick<AccessStore, 'findKeys'>
  readonly clock: Pick<Clock, 'monotonic'>
}): KeyLookup {
  const { store, clock } = ports
  let waiting: Waiting[] = []
  let trusted = new Map<KeyId, Trusted>()

  const reads = coalesce(async () => {
    const batch = waiting
    waiting = []
    if (batch.length > 0) await answer(batch)
  })

  async function answer(batch: readonly Waiting[]): Promise<void> {
    const [readAt, memory] = [clock.monotonic(), trusted]
    try {
      const ids = [...new Set(batch.map(({ id }) => id))]
      const { keys } = await store.findKeys(ids)
      const found = new Map(ids.map((id, index) => [id, toKnown(keys[index] ?? null, readAt)]))
      // If keys were changed during the read, this is the memory that was forgotten.
      for (const [id, key] of found) trust(memory, id, key, readAt)
      for (const entry of batch) entry.resolve(found.get(entry.id) ?? null)
    } catch (error) {
      for (const entry of batch) entry.reject(error)
    }
  }

  /** Only keys that open something: guesses of ids must not fill the memory. */
  function trust(memory: Map<KeyId, Trusted>, id: KeyId, key: KnownKey | null, readAt: number): void {
    memory.delete(id)
    if (key === null || key.revokedAt !== null || hasExpired(key)) return
    memory.set(id, { key, readAt, isReadAgain: false })
    const [oldest] = memory.keys()
    if (memory.size > MAX_TRUSTED && oldest !== undefined) memory.delete(oldest)
  }

  function read(entry: Waiting): void {
    waiting.push(entry)
    void reads.run()
  }

  function readAgain(known: Trusted): void {
    if (known.isReadAgain || waiting.length >= MAX_WAITING) return
    known.isReadAgain = true
    // A failure shows as soon as the key is no longer trusted and a request has to wait for the database.
    read({ id: known.key.id, resolve: () => {}, reject: () => {} })
  }

  return {
    find: (id) => {
      const known = trusted.get(id)
      const age = known === undefined ? Number.POSITIVE_INFINITY : clock.monotonic() - known.readAt
      if (known !== undefined && age < TRUSTED_FOR_MS) {
        if (age >= READ_AGAIN_AFTER_MS) readAgain(known)
        return Promise.resolve(known.key)
      }
      if (waiting.length >= MAX_WAITING) {
        const message = 'Too many requests are waiting for their API keys to be checked. Retry after the time given.'
        return Promise.reject(new AppError('queue_full', message, { retryAfterMs: 1_000 }))
      }
      return new Promise((resolve, reject) => read({ id, resolve, reject }))
    },
    forget: () => {
      trusted = new Map()
    },
  }
}

/** When it was read. */
export function hasExpired({ expiresInMs }: KeyRecord): boolean {
  return expiresInMs !== null && expiresInMs <= 0
}

function toKnown(key: KeyRecord | null, readAt: number): KnownKey | null {
  return key === null ? null : { ...key, endsAt: key.expiresInMs === null ? null : readAt + key.expiresInMs }
}
