import { Client } from 'pg'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../../tests/setup/database.ts'
import { createRecordingTelemetry, createSilentTelemetry } from '../telemetry/recording-telemetry.ts'
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

test('a webhook with a long log is deleted in steps, none of which takes long', async () => {
  const database = await createTestDatabase()
  const telemetry = createRecordingTelemetry()
  const webhooks = createPostgresWebhookStore({ databaseUrl: database.url, telemetry })
  const id = '01890a5d-ac96-774b-bcce-000000000001'
  const filter = { types: null, chainId: null, signer: null, completions: false }
  const made = await webhooks.insertWebhook(
    { id, url: 'https://example.com', description: null, filter, secret: 'x', after: 0, createdBy: 'tests' },
    1,
  )
  const client = new Client({ connectionString: database.url })
  await client.connect()
  await client.query(
    `insert into webhook_delivery (delivery_id, webhook_id, event_id, event_type, order_key, state, settled_at)
     select gen_random_uuid(), $1, n, 'accepted', n::text, 'DELIVERED', now() from generate_series(1, 25000) n`,
    [id],
  )
  expect(await webhooks.deleteWebhook(id)).toEqual(made)
  const steps = { operation: 'clear_deliveries', outcome: 'ok' }
  expect(telemetry.valueOf('drover_store_round_trips_total', steps)).toBe(3)
  expect((await client.query('select from webhook_delivery')).rowCount).toBe(0)
  await client.end()
  await webhooks.close()
  await database.drop()
})
