/**
 * Whether there are any keys. A service that never had one is open to every caller that can reach it, which is only
 * this machine. After the first key it stays closed, even if all keys are revoked later, so revoking the last key locks
 * callers out instead of letting them in. "Open" is checked again after a second; "closed" never changes.
 */
import type { AccessStore } from '../../ports/access-store.ts'
import type { Clock } from '../../ports/clock.ts'
import { StoreUnavailable } from '../../ports/store.ts'
import type { Telemetry } from '../../ports/telemetry.ts'

export interface KeyPresence {
  /** From memory, for callers that must not wait for the database. The next call knows more. */
  peek(): boolean
  /** As of no more than a second ago. */
  check(): Promise<boolean>
  /** A key exists: no lookup is needed. */
  notify(): void
}

interface PresencePorts {
  readonly store: Pick<AccessStore, 'findKeys'>
  readonly clock: Pick<Clock, 'monotonic'>
  readonly telemetry: Pick<Telemetry, 'log'>
}

const FRESH_FOR_MS = 1_000

export function createKeyPresence({ store, clock, telemetry }: PresencePorts): KeyPresence {
  let hasKeys = false
  let lookedAt: number | null = null
  let looking: Promise<void> | null = null

  function look(): Promise<void> {
    looking ??= (async () => {
      const askedAt = clock.monotonic()
      try {
        if ((await store.findKeys([])).hasKeys) hasKeys = true
        lookedAt = askedAt
      } finally {
        looking = null
      }
    })()
    return looking
  }

  async function check(): Promise<boolean> {
    const since = clock.monotonic() - FRESH_FOR_MS
    const isFresh = (): boolean => hasKeys || (lookedAt !== null && lookedAt > since)
    try {
      // A lookup in progress may have started too long ago. The next one has not.
      if (!isFresh()) await look()
      if (!isFresh()) await look()
    } catch (error) {
      // It was open, and only this machine can call: what is served without the database stays available.
      if (!(error instanceof StoreUnavailable) || lookedAt === null) throw error
    }
    return hasKeys
  }

  return {
    check,
    peek() {
      void check().catch((error: unknown) => {
        telemetry.log('warn', 'could not check whether API keys exist', { error: String(error) })
      })
      return hasKeys
    },
    notify() {
      hasKeys = true
    },
  }
}
