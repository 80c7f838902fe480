/**
 * Deletes audit entries that are old. Each pass that deletes adds an entry, so whoever checks the audit log sees that its
 * beginning was deleted because of its age, and when.
 */
import { createPasses, type Pace, type Passes } from '../../engine/retention/passes.ts'
import type { AccessStore } from '../../ports/access-store.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'

interface AuditRetentionPorts {
  readonly store: Pick<AccessStore, 'deleteAudit' | 'appendAudit'>
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly nodeId: string
  readonly settings: { readonly auditMs: number; readonly onlyArchived: boolean }
}

const PASS_EVERY_MS = 60 * 60_000
const BATCH = 200

export function createAuditRetention(ports: AuditRetentionPorts): Passes {
  const { store, clock, telemetry, nodeId, settings } = ports
  const { auditMs: olderThanMs, onlyArchived } = settings

  async function pass({ repeat }: Pace): Promise<void> {
    let lastId = 0
    await repeat(async () => {
      const deleted = await store.deleteAudit({ olderThanMs, limit: BATCH, onlyArchived })
      telemetry.count('drover_retention_total', { kind: 'audit' }, deleted?.count ?? 0)
      if (deleted !== null && deleted.count > 0) lastId = deleted.lastId
      return deleted !== null && deleted.count >= BATCH
    })
    if (lastId === 0) return
    const target = `audit entries up to ${lastId}`
    await store.appendAudit({
      keyId: null,
      actor: 'retention',
      nodeId,
      operation: 'deleteAudit',
      target,
      result: 'done',
    })
  }

  const failure = 'could not delete old audit entries; trying again later'
  return createPasses({ clock, telemetry, everyMs: PASS_EVERY_MS, failure, pass })
}
