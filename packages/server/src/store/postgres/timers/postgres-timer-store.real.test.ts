import { Client } from 'pg'
import { createTestDatabase } from '../../../../../../tests/setup/database.ts'
import { describeTimerStore } from '../../../testing/store/conformance/timer-store.suite.ts'
import { createSilentTelemetry } from '../../../testing/telemetry/recording-telemetry.ts'
import { createPostgresStore } from '../postgres-store.ts'
import { createPostgresTimerStore } from './postgres-timer-store.ts'

describeTimerStore('PostgreSQL', async () => {
  const database = await createTestDatabase()
  const options = { databaseUrl: database.url, telemetry: createSilentTelemetry() }
  const [store, timers] = [createPostgresStore(options), createPostgresTimerStore(options)]
  const client = new Client({ connectionString: database.url })
  await client.connect()
  return {
    store,
    timers,
    // The database's clock cannot be moved, so what has a time moves back.
    elapse: async (ms) => {
      await client.query("update timer_lease set expires_at = expires_at - $1 * interval '1 millisecond'", [ms])
      await client.query("update timer_command set answered_at = answered_at - $1 * interval '1 millisecond'", [ms])
    },
    close: async () => {
      await client.end()
      await timers.close()
      await store.close()
      await database.drop()
    },
  }
})
