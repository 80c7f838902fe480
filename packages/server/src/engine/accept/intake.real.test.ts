import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../../tests/setup/database.ts'
import { createSystemClock } from '../../app/system-clock.ts'
import { STABLE } from '../../core/lane/policy.ts'
import { type NewTransaction, type Store, StoreUnavailable } from '../../ports/store.ts'
import { createPostgresStore } from '../../store/postgres/postgres-store.ts'
import { anyIntent } from '../../testing/store/samples.ts'
import { createSilentTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import { createIntake } from './intake.ts'

const LANE = { chainId: 1, signer: `0x${'11'.repeat(20)}` as const }
let database: TestDatabase
let store: Store

beforeAll(async () => {
  database = await createTestDatabase()
  store = createPostgresStore({ databaseUrl: database.url, telemetry: createSilentTelemetry() })
  await store.registerSigners([{ lane: LANE, policy: STABLE, label: null }])
})

afterAll(async () => {
  await store.close()
  await database.drop()
})

function newTransaction(place: number, requestId: string | null): NewTransaction {
  return {
    id: `01890a5d-ac96-774b-bcce-${place.toString().padStart(12, '0')}`,
    intent: anyIntent(LANE, {
      value: BigInt(place),
      requestId,
      requestDigest: `0x${place.toString(16).padStart(64, '0')}`,
    }),
  }
}

test('an answer that is lost after the commit stores nothing twice, and every item counts as inserted [G3]', async () => {
  let calls = 0
  const insertTransactions: Store['insertTransactions'] = async (batch) => {
    calls += 1
    const outcomes = await store.insertTransactions(batch)
    if (calls === 1) throw new StoreUnavailable('connection lost after the commit')
    return outcomes
  }
  const intake = createIntake({
    store: { insertTransactions },
    clock: createSystemClock(),
    telemetry: createSilentTelemetry(),
  })
  const items = [newTransaction(1, null), newTransaction(2, 'order-2'), newTransaction(3, null)]
  const outcomes = await Promise.all(items.map(intake.submit))
  expect(calls).toBe(2)
  expect(outcomes.map((outcome) => outcome.type)).toEqual(['inserted', 'inserted', 'inserted'])
  const { items: stored } = await store.listTransactions({}, { after: null, limit: 10 })
  expect(stored.map(({ id }) => id).sort()).toEqual(items.map(({ id }) => id))
  expect(await store.readEvents(0, 10)).toHaveLength(3)
})
