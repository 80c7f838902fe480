/** A database that hangs: it takes connections and statements, and answers none. Time-outs are too long to end anything here. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../../tests/setup/database.ts'
import { createTcpRelay, type TcpRelay } from '../../../../../tests/setup/tcp-relay.ts'
import { type Store, StoreUnavailable } from '../../ports/store.ts'
import { anyNew, registerLane } from '../../testing/store/samples.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import { createPostgresStore } from './postgres-store.ts'

const NEVER_MS = 3_600_000

let database: TestDatabase
let relay: TcpRelay
let store: Store
const telemetry = createRecordingTelemetry()

beforeAll(async () => {
  database = await createTestDatabase()
  const url = new URL(database.url)
  relay = await createTcpRelay({ host: url.hostname, port: Number(url.port) })
  await relay.open()
  url.hostname = '127.0.0.1'
  url.port = String(relay.port)
  store = createPostgresStore({
    databaseUrl: url.href,
    telemetry,
    statementTimeoutMs: NEVER_MS,
    connectTimeoutMs: NEVER_MS,
  })
})

afterAll(async () => {
  // If the test failed, statements still wait.
  relay.resume()
  await store.close()
  await relay.close()
  await database.drop()
})

const isUp = () => telemetry.valueOf('drover_database_up')
const messages = () => telemetry.logs.map(({ message }) => message)

test('reads are refused, the outage is said once, a write stays open, and both work as soon as it answers again', async () => {
  const lane = await registerLane(store)
  const wanted = anyNew(lane)
  expect(isUp()).toBe(1)
  relay.hang()
  const write = store.insertTransactions([wanted])
  let isWritten = false
  void write.then(() => {
    isWritten = true
  })
  await expect(store.findTransaction(wanted.id)).rejects.toBeInstanceOf(StoreUnavailable)
  expect(isUp()).toBe(0)
  // More than the pool has connections: those that were given up hold them.
  const reads = await Promise.allSettled(Array.from({ length: 20 }, () => store.findTransaction(wanted.id)))
  for (const read of reads) expect(read).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailable) })
  expect(isWritten).toBe(false)
  expect(messages().filter((message) => message === 'the database does not respond')).toHaveLength(1)
  relay.resume()
  expect((await write)[0]?.type).toBe('inserted')
  expect((await store.findTransaction(wanted.id))?.id).toBe(wanted.id)
  expect(isUp()).toBe(1)
  expect(messages()).toContain('the database responds again')
})
