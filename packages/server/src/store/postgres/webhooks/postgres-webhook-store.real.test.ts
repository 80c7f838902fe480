import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../../../../tests/setup/database.ts'
import { describeWebhookStore } from '../../../testing/store/conformance/webhook-store.suite.ts'
import { createRecordingTelemetry, createSilentTelemetry } from '../../../testing/telemetry/recording-telemetry.ts'
import { createPostgresStore } from '../postgres-store.ts'
import { createPostgresWebhookStore } from './postgres-webhook-store.ts'
import { createSecretBox } from './secret-box.ts'

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

test('secrets are sealed at rest: new ones, those of the time before the key, and those of an older key', async () => {
  const database = await createTestDatabase()
  const client = new Client({ connectionString: database.url })
  await client.connect()
  const [old, now] = [randomBytes(32), randomBytes(32)]
  const options = { databaseUrl: database.url, telemetry: createSilentTelemetry() }
  const open = (keys: readonly Uint8Array[]) =>
    createPostgresWebhookStore({ ...options, secrets: createSecretBox(keys) })
  const id = '01890a5d-ac96-774b-bcce-000000000007'
  const filter = { types: null, chainId: null, signer: null, completions: false }
  const rest = { url: 'https://example.com', description: null, filter, after: 0, createdBy: 'tests' }
  const readStored = async () => (await client.query('select secret, previous_secret from webhook')).rows[0]
  /** What a node that has these keys would sign with. */
  const readSecrets = async (keys: readonly Uint8Array[]) => {
    const webhooks = open(keys)
    const sealed = await webhooks.sealSecrets()
    const [lease] = await webhooks.keepWebhooks('node', 1, 60_000)
    const rooms = [{ webhookId: id, fence: lease?.fence ?? 0, room: 1, busy: [] }]
    const { due } = await webhooks.readDue('node', rooms)
    await webhooks.close()
    return { ...sealed, secrets: due[0]?.secrets }
  }

  const plain = open([])
  await plain.insertWebhook({ id, ...rest, secret: 'whsec_first' }, 1)
  await plain.updateWebhook(id, { newSecret: { secret: 'whsec_second', overlapMs: 60_000 } })
  await plain.insertTest(id, { id: '01890a5d-ac96-774b-bcce-000000000008', body: '{}' })
  await plain.close()
  expect(await readStored()).toEqual({ secret: 'whsec_second', previous_secret: 'whsec_first' })

  const both = { unreadable: 0, secrets: ['whsec_second', 'whsec_first'] }
  expect(await readSecrets([old])).toEqual(both)
  const sealed = await readStored()
  expect(JSON.stringify(sealed)).not.toContain('whsec_')
  expect(await readSecrets([now, old])).toEqual(both)
  expect(await readStored()).not.toEqual(sealed)
  expect(await readSecrets([now])).toEqual(both)
  expect(await readSecrets([old])).toEqual({ unreadable: 1, secrets: [] })
  await client.end()
  await database.drop()
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
