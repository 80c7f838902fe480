/** Writes who did what. What cannot be stored is told to the log instead: the change itself has happened already. */
import type { Caller } from '../core/caller.ts'
import type { AccessStore, AuditNote } from '../ports/access-store.ts'
import type { Clock } from '../ports/clock.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { createRateLimiter } from './rate-limiter.ts'

export interface AuditTrail {
  /** Durable when it resolves; never fails the request. */
  record(caller: Caller, note: Pick<AuditNote, 'operation' | 'target' | 'result'>): Promise<void>
  /** The same for what was refused for who asked; of a flood of these only some are recorded. */
  recordRefusal(caller: Caller, note: Pick<AuditNote, 'operation' | 'target'>): Promise<void>
}

interface TrailPorts {
  readonly store: Pick<AccessStore, 'appendAudit'>
  readonly clock: Pick<Clock, 'monotonic'>
  readonly telemetry: Pick<Telemetry, 'log'>
  readonly nodeId: string
}

/** Of all keys together: somebody with a key that is good for nothing must not be able to fill the audit. */
const REFUSALS = { perSecond: 1, burst: 100 }

export function createAuditTrail({ store, clock, telemetry, nodeId }: TrailPorts): AuditTrail {
  const limiter = createRateLimiter({ clock })

  const record: AuditTrail['record'] = async ({ keyId, name }, { operation, target, result }) => {
    const note = { keyId, actor: name, nodeId, operation, target, result }
    try {
      await store.appendAudit(note)
    } catch (error) {
      telemetry.log('error', 'an entry of the audit could not be stored', { ...note, error: String(error) })
    }
  }

  return {
    record,
    async recordRefusal(caller, note) {
      if (limiter.take('refusals', REFUSALS).type === 'taken') await record(caller, { ...note, result: 'forbidden' })
    },
  }
}
