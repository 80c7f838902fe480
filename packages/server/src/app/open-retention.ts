/** Retention, if anything has an end. */
import type { Config } from '../config/config.ts'
import { createRetention, type Retention } from '../engine/retention/retention.ts'
import type { Clock } from '../ports/clock.ts'
import type { RetentionStore } from '../ports/retention-store.ts'
import type { Telemetry } from '../ports/telemetry.ts'

interface RetentionPorts {
  readonly store: RetentionStore
  readonly clock: Clock
  readonly telemetry: Telemetry
}

const KEEP_EVERYTHING: Retention = { start: () => {}, stop: async () => {} }

export function openRetention({ retention, webhooks }: Config, ports: RetentionPorts): Retention {
  const { transactionsMs, reservationsMs, eventsMs } = retention
  if (transactionsMs === null && reservationsMs === null && eventsMs === null) return KEEP_EVERYTHING
  // A delivery is read from its event, until it is settled and for as long as it can be sent again.
  const deliveredMs = webhooks.retry.giveUpAfterMs + webhooks.retentionMs
  const atLeast = (keptMs: number | null) => keptMs && Math.max(keptMs, deliveredMs)
  const settings = { ...retention, transactionsMs: atLeast(transactionsMs), eventsMs: atLeast(eventsMs) }
  return createRetention({ ...ports, settings })
}
