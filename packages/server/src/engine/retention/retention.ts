/**
 * Deletes what is old, in passes: finished transactions first get what stays of them (`retireTransactions`), and are
 * deleted once every statement has ended that may have begun before that. In between it pauses, so that it takes a small
 * share of the database's time however much there is to do. Nodes need not agree who does it: the store lets one through.
 */
import type { Clock } from '../../ports/clock.ts'
import type { RetentionStore } from '../../ports/retention-store.ts'
import { StoreUnavailable } from '../../ports/store.ts'
import type { Telemetry } from '../../ports/telemetry.ts'

export interface Retention {
  start(): void
  /** Finishes the statement that is running and starts no other. */
  stop(): Promise<void>
}

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
const MIN_PAUSE_MS = 50
/** Pauses are this many times as long as the statement before: it uses a tenth of the time. */
const PAUSE_SHARE = 9
/** After this long the rest waits for the next pass. */
const MAX_STEP_MS = 5 * 60_000

export function createRetention({ store, clock, telemetry, settings }: RetentionPorts): Retention {
  let stopped = false
  let running: Promise<void> = Promise.resolve()
  let cancelPass = (): void => {}
  let endPause = (): void => {}

  /** Runs a statement again and again, with pauses, until it says that nothing is left. */
  async function repeat(step: () => Promise<boolean>): Promise<void> {
    const endAt = clock.monotonic() + MAX_STEP_MS
    while (!stopped) {
      const startedAt = clock.monotonic()
      const hasMore = await step()
      const endedAt = clock.monotonic()
      if (!hasMore || endedAt > endAt) return
      await rest(Math.max(MIN_PAUSE_MS, (endedAt - startedAt) * PAUSE_SHARE))
    }
  }

  async function rest(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancel = clock.schedule(ms, resolve)
      endPause = () => {
        cancel()
        resolve()
      }
      if (stopped) endPause()
    })
  }

  function count(kind: Kind, by: number | null): boolean {
    telemetry.count('drover_retention_total', { kind }, by ?? 0)
    return by !== null && by >= BATCH
  }

  /** How many were retired. */
  async function retire(finalForMs: number): Promise<number> {
    let [after, retired] = [0, 0]
    await repeat(async () => {
      const look = await store.retireTransactions({ finalForMs, after, limit: BATCH })
      retired += look?.count ?? 0
      after = look?.next ?? after
      return look !== null && look.next !== null
    })
    return retired
  }

  async function remove(): Promise<void> {
    await repeat(async () => count('transactions', await store.deleteRetired(GRACE_MS, BATCH)))
  }

  async function passTransactions(finalForMs: number): Promise<void> {
    await remove()
    if ((await retire(finalForMs)) > 0) {
      await rest(GRACE_MS)
      await remove()
    }
    await repeat(async () => count('request_ids', await store.forgetRequests(settings.requestIdsMs, BATCH)))
  }

  async function pass(): Promise<void> {
    const { transactionsMs, reservationsMs, eventsMs } = settings
    if (reservationsMs !== null)
      await repeat(async () => count('reservations', await store.deleteReservations(reservationsMs, BATCH)))
    if (eventsMs !== null) await repeat(async () => count('events', await store.deleteLaneEvents(eventsMs, BATCH)))
    if (transactionsMs !== null) await passTransactions(transactionsMs)
  }

  function run(): void {
    running = pass()
      .catch((error: unknown) => {
        const level = error instanceof StoreUnavailable ? 'warn' : 'error'
        telemetry.log(level, 'could not delete what is old; trying again later', { error })
      })
      .finally(() => {
        if (!stopped) cancelPass = clock.schedule(PASS_EVERY_MS, run)
      })
  }

  return {
    start: run,
    stop: async () => {
      stopped = true
      cancelPass()
      endPause()
      await running
    },
  }
}
