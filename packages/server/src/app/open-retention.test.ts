import { expect, test } from 'vitest'
import type { Config } from '../config/config.ts'
import type { AccessStore } from '../ports/access-store.ts'
import type { RetentionStore } from '../ports/retention-store.ts'
import { createManualClock } from '../testing/engine/manual-clock.ts'
import { createSilentTelemetry } from '../testing/telemetry/recording-telemetry.ts'
import { openRetention } from './open-retention.ts'

const DAY = 86_400_000
const HOUR = 3_600_000

async function runOnce(kept: Partial<Config['retention']>): Promise<readonly unknown[]> {
  const calls: unknown[] = []
  const store: RetentionStore = {
    retireTransactions: async (look) => {
      calls.push(['transactions', look.finalForMs / DAY, look.onlyArchived])
      return null
    },
    deleteRetired: async () => null,
    forgetRequests: async () => null,
    deleteReservations: async (ms) => {
      calls.push(['reservations', ms / DAY])
      return null
    },
    deleteLaneEvents: async (ms, _, onlyArchived) => {
      calls.push(['events', ms / DAY, onlyArchived])
      return null
    },
  }
  const deleteAudit: AccessStore['deleteAudit'] = async ({ olderThanMs, onlyArchived }) => {
    calls.push(['audit', olderThanMs / DAY, onlyArchived])
    return null
  }
  const none = { transactionsMs: null, requestIdsMs: DAY, reservationsMs: null, eventsMs: null, auditMs: null }
  const config = {
    retention: { ...none, onlyArchived: false, ...kept },
    webhooks: { retry: { giveUpAfterMs: 3 * DAY }, retentionMs: 14 * DAY },
  } as Config
  const clock = createManualClock()
  const keys = { deleteAudit } as AccessStore
  const retention = openRetention(config, { store, keys, clock, telemetry: createSilentTelemetry(), nodeId: 'n1' })
  retention.start()
  await clock.advance(HOUR / 12)
  await retention.stop()
  return calls.toSorted()
}

test('nothing has an end by default', async () => {
  expect(await runOnce({})).toEqual([])
})

test('each kind is kept for its own time, and as long as deliveries may need it', async () => {
  const kept = { transactionsMs: 90 * DAY, reservationsMs: 5 * DAY, eventsMs: 5 * DAY, auditMs: 365 * DAY }
  expect(await runOnce(kept)).toEqual([
    ['audit', 365, false],
    ['events', 17, undefined],
    ['reservations', 5],
    ['transactions', 90, undefined],
  ])
})

test('what was not archived stays, if that is set', async () => {
  const kept = { transactionsMs: 90 * DAY, eventsMs: 30 * DAY, auditMs: 365 * DAY, onlyArchived: true }
  expect(await runOnce(kept)).toEqual([
    ['audit', 365, true],
    ['events', 30, true],
    ['transactions', 90, true],
  ])
})
