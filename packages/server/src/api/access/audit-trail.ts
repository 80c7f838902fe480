/**
 * Records who did what. An entry that cannot be stored goes to the log instead: the change itself has already happened.
 */

import type { Caller } from '../../core/access/caller.ts'
import { AppError } from '../../core/app-error.ts'
import type { AccessStore, AuditNote } from '../../ports/access-store.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { createRateLimiter } from './rate-limiter.ts'

export interface AuditTrail {
  /** Durable when it resolves; never fails the request. */
  record(
    caller: Pick<Caller, 'keyId' | 'name'>,
    note: Pick<AuditNote, 'operation' | 'target' | 'result'>,
  ): Promise<void>
  /** Call before an action that will be recorded. Throws `rate_limited` if the key has done too many. */
  admitEntry(caller: Caller): void
  /** The same for requests refused because of their caller. In a flood of these, only some are recorded. */
  recordRefusal(
    caller: Pick<Caller, 'keyId' | 'name'>,
    note: Pick<AuditNote, 'operation' | 'target'> & { readonly result?: string },
  ): Promise<void>
}

interface TrailPorts {
  readonly store: Pick<AccessStore, 'appendAudit'>
  readonly clock: Pick<Clock, 'monotonic'>
  readonly telemetry: Pick<Telemetry, 'log'>
  readonly nodeId: string
}

/** Per key: a useless key can neither fill the audit nor crowd out the refusals of others. */
const REFUSALS = { perSecond: 1, burst: 100 }
/** Also per key. Every action is recorded, so beyond this limit actions are refused. */
const ENTRIES = { perSecond: 20, burst: 1_000 }

export function createAuditTrail({ store, clock, telemetry, nodeId }: TrailPorts): AuditTrail {
  const [refusals, entries] = [createRateLimiter({ clock }), createRateLimiter({ clock })]

  const record: AuditTrail['record'] = async ({ keyId, name }, { operation, target, result }) => {
    const note = { keyId, actor: name, nodeId, operation, target, result }
    try {
      await store.appendAudit(note)
    } catch (error) {
      telemetry.log('error', 'could not store an audit entry', { ...note, error: String(error) })
    }
  }

  return {
    record,
    admitEntry({ keyId }) {
      const taken = keyId === null ? null : entries.take(keyId, ENTRIES)
      if (taken?.type !== 'empty') return
      const message = `API key ${keyId} makes more changes than the audit log accepts from one key (${ENTRIES.perSecond} per second, ${ENTRIES.burst} at once). Retry after the time given.`
      throw new AppError('rate_limited', message, { bound: 'audit entries', retryAfterMs: taken.retryAfterMs })
    },
    async recordRefusal(caller, note) {
      if (refusals.take(caller.keyId ?? '', REFUSALS).type !== 'taken') return
      await record(caller, { result: 'forbidden', ...note })
    },
  }
}
