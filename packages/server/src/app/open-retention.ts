/** Retention, if anything has an end. */

import { createAuditRetention } from '../api/access/audit-retention.ts'
import type { Config } from '../config/config.ts'
import type { Passes } from '../engine/retention/passes.ts'
import { createRetention } from '../engine/retention/retention.ts'
import type { AccessStore } from '../ports/access-store.ts'
import type { Clock } from '../ports/clock.ts'
import type { RetentionStore } from '../ports/retention-store.ts'
import type { Telemetry } from '../ports/telemetry.ts'

interface RetentionPorts {
  readonly store: RetentionStore
  readonly keys: AccessStore
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly nodeId: string
}

export function openRetention(config: Config, ports: RetentionPorts): Passes {
  const parts = [openLedger(config, ports), openAudit(config, ports)].filter((part) => part !== null)
  return {
    start: () => {
      for (const part of parts) part.start()
    },
    stop: async () => void (await Promise.all(parts.map((part) => part.stop()))),
  }
}

function openLedger({ retention, webhooks }: Config, ports: RetentionPorts): Passes | null {
  const { transactionsMs, reservationsMs, eventsMs, onlyArchived } = retention
  if (transactionsMs === null && reservationsMs === null && eventsMs === null) return null
  // A delivery is read from its event, until it is settled and for as long as it can be sent again.
  const deliveredMs = webhooks.retry.giveUpAfterMs + webhooks.retentionMs
  const atLeast = (keptMs: number | null) => keptMs && Math.max(keptMs, deliveredMs)
  const settings = { ...retention, transactionsMs: atLeast(transactionsMs), eventsMs: atLeast(eventsMs) }
  const store = onlyArchived ? keepUntilArchived(ports.store) : ports.store
  return createRetention({ ...ports, store, settings })
}

function keepUntilArchived(store: RetentionStore): RetentionStore {
  return {
    ...store,
    retireTransactions: (look) => store.retireTransactions({ ...look, onlyArchived: true }),
    deleteLaneEvents: (olderThanMs, limit) => store.deleteLaneEvents(olderThanMs, limit, true),
  }
}

function openAudit({ retention }: Config, { keys, ...ports }: RetentionPorts): Passes | null {
  const { auditMs, onlyArchived } = retention
  if (auditMs === null) return null
  return createAuditRetention({ ...ports, store: keys, settings: { auditMs, onlyArchived } })
}
