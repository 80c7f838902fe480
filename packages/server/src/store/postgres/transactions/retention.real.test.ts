/** Retention beside acceptance: a repeat that began before its transaction was retired, and is held up until after. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../../../tests/setup/database.ts'
import { GRACE_MS } from '../../../engine/retention/retention.ts'
import type { InsertOutcome, Store } from '../../../ports/store.ts'
import { createLockHolder, type LockHolder } from '../../../testing/store/lock-holder.ts'
import {
  acceptOne,
  acquire,
  anyNew,
  registerLane,
  toAllocated,
  toConfirmed,
  write,
} from '../../../testing/store/samples.ts'
import { createSilentTelemetry } from '../../../testing/telemetry/recording-telemetry.ts'
import { createPostgresStore } from '../postgres-store.ts'
import { lockOf } from './acceptance-order.ts'

let database: TestDatabase
let store: Store
let other: Store
let locks: LockHolder

beforeAll(async () => {
  database = await createTestDatabase()
  const options = { databaseUrl: database.url, telemetry: createSilentTelemetry() }
  store = createPostgresStore(options)
  other = createPostgresStore(options)
  locks = await createLockHolder(database.url)
})

afterAll(async () => {
  await Promise.all([store.close(), other.close()])
  await locks.close()
  await database.drop()
})

/** Repeats the request of a finished transaction, and retires and deletes it while the repeat waits for its lane. */
async function repeatDuringRetention(graceMs: number): Promise<InsertOutcome | undefined> {
  const lane = await registerLane(store)
  const queued = await acceptOne(store, lane, { requestId: 'once' })
  const lease = await acquire(store, lane)
  const [allocated] = await write(store, lease, [[queued, toAllocated(queued, 0, lease)]])
  if (allocated === undefined) throw new Error('nothing was allocated')
  await write(store, lease, [[allocated, toConfirmed(allocated)]])
  let outcome: InsertOutcome | undefined
  await locks.hold([['select pg_advisory_xact_lock($1)', [lockOf(lane)]]], async (release) => {
    const repeat = store.insertTransactions([{ ...anyNew(lane), intent: queued.intent }])
    await locks.untilWaiting(1)
    expect(await other.retireTransactions({ finalForMs: 0, after: 0, limit: 1_000 })).toMatchObject({ count: 1 })
    await other.deleteRetired(graceMs, 1_000)
    await release()
    outcome = (await repeat)[0]
  })
  return outcome
}

test('a repeat that began before the transaction was retired finds it, however late it goes on [G3]', async () => {
  expect(await repeatDuringRetention(GRACE_MS)).toMatchObject({ type: 'existing', transaction: { state: 'CONFIRMED' } })
})

test('it is the time between the two steps that prevents a second transaction', async () => {
  expect(await repeatDuringRetention(0)).toMatchObject({ type: 'inserted' })
})

test('only one node deletes at a time: the others do not wait for it', async () => {
  const key = '4919341720851438'
  await locks.hold([['select pg_advisory_xact_lock($1)', [key]]], async () => {
    expect(await store.retireTransactions({ finalForMs: 0, after: 0, limit: 10 })).toBeNull()
    expect([await store.deleteRetired(0, 10), await store.forgetRequests(0, 10)]).toEqual([null, null])
    expect([await store.deleteReservations(0, 10), await store.deleteLaneEvents(0, 10)]).toEqual([null, null])
  })
})
