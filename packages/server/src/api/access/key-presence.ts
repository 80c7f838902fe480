/**
 * Whether there are keys at all. A service that never had one is open to whoever can reach it, which is this machine alone.
 * From the first key on it is closed for good, even if all keys are revoked later: so that revoking the last one locks out,
 * and does not let in. That it is still open is looked up again when what is known is a second old; that it is closed
 * never changes.
 */
import type { AccessStore } from '../../ports/access-store.ts'
import type { Clock } from '../../ports/clock.ts'
import { StoreUnavailable } from '../../ports/store.ts'
import type { Telemetry } from '../../ports/telemetry.ts'

export interface KeyPresence {
  /** From memory, for what must not wait for the database; the next who asks knows more. */
  peek(): boolean
  /** As of no more than a second ago. */
  check(): Promise<boolean>
  /** There is a key: nobody need find out. */
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
      // One that is on its way already may have begun too long ago; the next one has not.
      if (!isFresh()) await look()
      if (!isFresh()) await look()
    } catch (error) {
      // It was open, and nobody but this machine can ask: what is served without the database is served on.
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
