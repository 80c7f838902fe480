/** Records when keys were last used, to the minute: one write for all keys now and then, never one per request. */
import type { KeyId } from '../../core/access/api-key.ts'
import type { AccessStore } from '../../ports/access-store.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'

export interface KeyUse {
  note(id: KeyId): void
  /** Stores what was noted. */
  close(): Promise<void>
}

interface KeyUsePorts {
  readonly store: Pick<AccessStore, 'touchKeys'>
  readonly clock: Pick<Clock, 'schedule'>
  readonly telemetry: Pick<Telemetry, 'log'>
}

const INTERVAL_MS = 60_000
/** The first use of a key shows up sooner, because a person may be waiting for it. */
const FIRST_MS = 1_000

export function createKeyUse({ store, clock, telemetry }: KeyUsePorts): KeyUse {
  const seen = new Set<KeyId>()
  const used = new Set<KeyId>()
  let cancel: (() => void) | null = null
  let isClosed = false

  async function flush(): Promise<void> {
    cancel = null
    const ids = [...used]
    used.clear()
    if (ids.length === 0) return
    try {
      await store.touchKeys(ids)
    } catch (error) {
      // For display only. The next use records it again.
      telemetry.log('warn', 'could not store when API keys were last used', { keys: ids.length, error: String(error) })
    }
  }

  return {
    note(id) {
      if (isClosed) return
      used.add(id)
      cancel ??= clock.schedule(seen.has(id) ? INTERVAL_MS : FIRST_MS, () => void flush())
      seen.add(id)
    },
    close: async () => {
      isClosed = true
      cancel?.()
      await flush()
    },
  }
}
