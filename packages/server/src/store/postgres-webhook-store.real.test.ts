import { Client } from 'pg'
import { createTestDatabase } from '../../../../tests/setup/database.ts'
import { createSilentTelemetry } from '../telemetry/recording-telemetry.ts'
import { createPostgresStore } from './postgres-store.ts'
import { createPostgresWebhookStore } from './postgres-webhook-store.ts'
import { describeWebhookStore } from './webhook-store.suite.ts'

/** The database's clock cannot be moved, so everything that has a time moves back. */
const ELAPSE = {
  webhook: ['expires_at', 'previous_secret_until', 'failing_since'],
  webhook_delivery: ['due_at', 'first_attempt_at', 'settled_at'],
}

describeWebhookStore('PostgreSQL', async () => {
  const database = await createTestDatabase()
  const options = { databaseUrl: database.url, telemetry: createSilentTelemetry() }
  const [store, webhooks] = [createPostgresStore(options), createPostgresWebhookStore(options)]
  const client = new Client({ connectionString: database.url })
  await client.connect()
  return {
    store,
    webhooks,
    elapse: async (ms) => {
      for (const [table, columns] of Object.entries(ELAPSE)) {
        const moves = columns.map((column) => `${column} = ${column} - $1 * interval '1 millisecond'`)
        await client.query(`update ${table} set ${moves.join(', ')}`, [ms])
      }
    },
    close: async () => {
      await client.end()
      await webhooks.close()
      await store.close()
      await database.drop()
    },
  }
})
