/** What the store says when the database breaks off, refuses, or is given what it cannot hold. */
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../../tests/setup/database.ts'
import type { Notice } from '../../ports/notice.ts'
import { type Store, StoreUnavailable } from '../../ports/store.ts'
import { createLockHolder, EVENT_HEAD, type LockHolder } from '../../testing/store/lock-holder.ts'
import { acceptOne, acquire, anyLane, anyNew, registerLane, toSave, toWrite } from '../../testing/store/samples.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import { translateError } from './database-error.ts'
import { createPostgresStore } from './postgres-store.ts'

let database: TestDatabase
let store: Store
let locks: LockHolder
const lost: string[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  const telemetry = {
    count: () => {},
    gauge: () => {},
    log: (_level: string, message: string) => void lost.push(message),
  }
  store = createPostgresStore({
    databaseUrl: database.url,
    telemetry,
    applicationName: 'victim',
  })
  locks = await createLockHolder(database.url)
})

afterAll(async () => {
  await store.close()
  await locks.close()
  await database.drop()
})

async function terminate(applicationName: string): Promise<void> {
  await locks.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = $1`,
    [applicationName],
  )
}

test('a statement whose connection breaks is StoreUnavailable, and the next one works', async () => {
  const lane = await registerLane(store)
  await locks.hold([EVENT_HEAD], async () => {
    const failing = expect(store.insertTransactions([anyNew(lane)])).rejects.toBeInstanceOf(StoreUnavailable)
    await locks.untilWaiting(1)
    await terminate('victim')
    await failing
  })
  expect((await store.insertTransactions([anyNew(lane)]))[0]?.type).toBe('inserted')
})

test('a statement that takes too long is ended by the database and is StoreUnavailable', async () => {
  const lane = await registerLane(store)
  const telemetry = createRecordingTelemetry()
  const hasty = createPostgresStore({ databaseUrl: database.url, telemetry, statementTimeoutMs: 500 })
  await locks.hold([EVENT_HEAD], async () => {
    await expect(hasty.insertTransactions([anyNew(lane)])).rejects.toThrow(/57014/)
  })
  await hasty.close()
  expect(await store.readQueue(lane, 10)).toEqual([])
})

test('a server that is not there is StoreUnavailable, and says no secret', async () => {
  const telemetry = createRecordingTelemetry()
  const nowhere = createPostgresStore({ databaseUrl: 'postgres://someone:hunter2@127.0.0.1:1/none', telemetry })
  const error = await nowhere.ping().catch((cause: unknown) => cause)
  expect(error).toBeInstanceOf(StoreUnavailable)
  expect(String(error)).not.toContain('hunter2')
  const trips = { operation: 'ping', outcome: 'unavailable' }
  expect(telemetry.valueOf('drover_store_round_trips_total', trips)).toBe(1)
  await nowhere.close()
})

test('a standby that does not take writes is StoreUnavailable', async () => {
  const url = new URL(database.url)
  url.searchParams.set('options', '-c default_transaction_read_only=on')
  const readOnly = new Client({ connectionString: url.href })
  await readOnly.connect()
  const error = await readOnly.query('insert into node values (null)').catch((cause: unknown) => cause)
  await readOnly.end()
  expect(translateError(error)).toBeInstanceOf(StoreUnavailable)
})

test('listeners are notified of a gap after each reconnect, and of later events [G7]', async () => {
  const heard: Notice[] = []
  let wake: () => void = () => {}
  const unlisten = store.listen((notice) => {
    heard.push(notice)
    wake()
  })
  const hears = async (type: Notice['type'], times: number): Promise<void> => {
    while (heard.filter((notice) => notice.type === type).length < times) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  await hears('gap', 1)
  await terminate('victim listen')
  await hears('gap', 2)
  expect(lost).toContain('lost the notification connection to the database; polling continues')
  const lane = await registerLane(store)
  await acceptOne(store, lane)
  await hears('lane.work', 1)
  // Strangers may talk on the channel too.
  await locks.query(`notify drover, 'hello'`)
  await locks.query(`notify drover, '{"type":"lane.work","chainId":"x"}'`)
  await locks.query(`notify drover, '{"type":"nodes.changed"}'`)
  await hears('nodes.changed', 2)
  unlisten()
})

test('characters that the database cannot hold are replaced, not refused', async () => {
  const lease = await acquire(store, await registerLane(store))
  const queued = await acceptOne(store, lease.lane, { metadata: { note: 'a\0b' } })
  const error = { code: 'reverted', message: 'half a \ud83d', reason: 'end\0' }
  const save = {
    ...toSave(queued, { ...queued, error }),
    notes: [{ type: 'x\0', cause: null, detail: { text: '\0' } }],
  }
  expect((await store.writeLanes([toWrite(lease, [save])]))[0]?.type).toBe('written')
  const found = await store.findTransaction(queued.id)
  expect(found?.error).toEqual({ code: 'reverted', message: 'half a \uFFFD', reason: 'end\uFFFD' })
  expect(found?.intent.metadata).toEqual({ note: 'a\uFFFDb' })
})

test('an item that no column can hold fails alone: the others are stored', async () => {
  const lane = await registerLane(store)
  const items = [anyNew(lane), anyNew(lane, { priority: 2 ** 40 }), anyNew(lane), anyNew(lane)]
  await expect(store.insertTransactions(items)).rejects.toThrow(/refused transaction/)
  const stored = await store.readQueue(lane, 10)
  expect(stored.map((tx) => tx.id).sort()).toEqual([items[0]?.id, items[2]?.id, items[3]?.id])
})

test('a database without the schema is an error of ours, not an outage', async () => {
  const empty = await createTestDatabase(null)
  const telemetry = createRecordingTelemetry()
  const bare = createPostgresStore({ databaseUrl: empty.url, telemetry })
  const error = await bare.acquireLeases('a', [anyLane()], 1_000).catch((cause: unknown) => cause)
  const trips = { operation: 'acquire_leases', outcome: 'failed' }
  expect(telemetry.valueOf('drover_store_round_trips_total', trips)).toBe(1)
  expect(error).not.toBeInstanceOf(StoreUnavailable)
  expect(String(error)).toMatch(/signer_lease/)
  await bare.close()
  await empty.drop()
})
