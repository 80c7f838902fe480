/**
 * Deletes what is old: finished transactions first get what stays of them (`retireTransactions`), and are deleted once
 * every statement has ended that may have begun before that. Nodes need not agree who does it: the store lets one through.
 */
import type { Clock } from '../../ports/clock.ts'
import type { RetentionStore } from '../../ports/retention-store.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { createPasses, type Pace, type Passes } from './passes.ts'

export interface RetentionSettings {
  /** How long what is finished is kept; null: for ever. */
  readonly transactionsMs: number | null
  readonly requestIdsMs: number
  readonly reservationsMs: number | null
  readonly eventsMs: number | null
}

interface RetentionPorts {
  readonly store: RetentionStore
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly settings: RetentionSettings
}

type Kind = 'transactions' | 'request_ids' | 'reservations' | 'events'

const PASS_EVERY_MS = 10 * 60_000
/** Longer than any statement may run: see migration 0018. */
export const GRACE_MS = 60_000
const BATCH = 200

export function createRetention({ store, clock, telemetry, settings }: RetentionPorts): Passes {
  function count(kind: Kind, by: number | null): boolean {
    telemetry.count('drover_retention_total', { kind }, by ?? 0)
    return by !== null && by >= BATCH
  }

  /** How many were retired. */
  async function retire(finalForMs: number, { repeat }: Pace): Promise<number> {
    let [after, retired] = [0, 0]
    await repeat(async () => {
      const look = await store.retireTransactions({ finalForMs, after, limit: BATCH })
      retired += look?.count ?? 0
      after = look?.next ?? after
      return look !== null && look.next !== null
    })
    return retired
  }

  async function remove({ repeat }: Pace): Promise<void> {
    await repeat(async () => count('transactions', await store.deleteRetired(GRACE_MS, BATCH)))
  }

  async function passTransactions(finalForMs: number, pace: Pace): Promise<void> {
    await remove(pace)
    if ((await retire(finalForMs, pace)) > 0) {
      await pace.rest(GRACE_MS)
      await remove(pace)
    }
    await pace.repeat(async () => count('request_ids', await store.forgetRequests(settings.requestIdsMs, BATCH)))
  }

  async function pass(pace: Pace): Promise<void> {
    const { repeat } = pace
    const { transactionsMs, reservationsMs, eventsMs } = settings
    if (reservationsMs !== null)
      await repeat(async () => count('reservations', await store.deleteReservations(reservationsMs, BATCH)))
    if (eventsMs !== null) await repeat(async () => count('events', await store.deleteLaneEvents(eventsMs, BATCH)))
    if (transactionsMs !== null) await passTransactions(transactionsMs, pace)
  }

  const failure = 'could not delete what is old; trying again later'
  return createPasses({ clock, telemetry, everyMs: PASS_EVERY_MS, failure, pass })
}
