/**
 * Deletes audit entries that are old, in small batches with pauses. What was deleted is itself an entry: whoever checks the audit sees
 * that its beginning is missing because of its age, and since when.
 */
import type { AccessStore } from '../../ports/access-store.ts'
import type { Clock } from '../../ports/clock.ts'
import { StoreUnavailable } from '../../ports/store.ts'
import type { Telemetry } from '../../ports/telemetry.ts'

export interface AuditRetention {
  start(): void
  stop(): Promise<void>
}

interface AuditRetentionPorts {
  readonly store: Pick<AccessStore, 'deleteAudit' | 'appendAudit'>
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly nodeId: string
  readonly settings: { readonly auditMs: number; readonly onlyArchived: boolean }
}

const PASS_EVERY_MS = 60 * 60_000
const BATCH = 200
const PAUSE_MS = 100

export function createAuditRetention(ports: AuditRetentionPorts): AuditRetention {
  const { store, clock, telemetry, nodeId, settings } = ports
  const { auditMs: olderThanMs, onlyArchived } = settings
  let stopped = false
  let running: Promise<void> = Promise.resolve()
  let cancel = (): void => {}

  /** Resolves early when it is stopped. */
  async function rest(): Promise<void> {
    await new Promise<void>((resolve) => {
      const end = clock.schedule(PAUSE_MS, resolve)
      cancel = () => {
        end()
        resolve()
      }
      if (stopped) cancel()
    })
  }

  async function pass(): Promise<void> {
    let lastId = 0
    while (!stopped) {
      const deleted = await store.deleteAudit({ olderThanMs, limit: BATCH, onlyArchived })
      telemetry.count('drover_retention_total', { kind: 'audit' }, deleted?.count ?? 0)
      if (deleted !== null && deleted.count > 0) lastId = deleted.lastId
      if (deleted === null || deleted.count < BATCH) break
      await rest()
    }
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

  function run(): void {
    running = pass()
      .catch((error: unknown) => {
        const level = error instanceof StoreUnavailable ? 'warn' : 'error'
        telemetry.log(level, 'could not delete old audit entries; trying again later', { error })
      })
      .finally(() => {
        if (!stopped) cancel = clock.schedule(PASS_EVERY_MS, run)
      })
  }

  return {
    start: run,
    stop: async () => {
      stopped = true
      cancel()
      await running
    },
  }
}
