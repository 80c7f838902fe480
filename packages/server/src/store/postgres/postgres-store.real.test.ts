import { Client } from 'pg'
import { createTestDatabase } from '../../../../../tests/setup/database.ts'
import { describeStore } from '../../testing/store/conformance/store.suite.ts'
import { createSilentTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import { createPostgresStore } from './postgres-store.ts'

describeStore('PostgreSQL store', async () => {
  const database = await createTestDatabase()
  const store = createPostgresStore({ databaseUrl: database.url, telemetry: createSilentTelemetry() })
  const client = new Client({ connectionString: database.url })
  await client.connect()
  return {
    store,
    // The database's clock cannot be moved, so everything that has a time moves back.
    elapse: async (ms) => {
      await client.query(`update signer_lease set expires_at = expires_at - $1 * interval '1 millisecond'`, [ms])
      await client.query(
        `update node set heartbeat_at = heartbeat_at - $1 * interval '1 millisecond',
                         started_at = started_at - $1 * interval '1 millisecond'`,
        [ms],
      )
      await client.query(
        `update nonce_reservation set locked_until = locked_until - $1 * interval '1 millisecond' where final_at is null`,
        [ms],
      )
      await client.query(`update spending_charge set charged_at = charged_at - $1 * interval '1 millisecond'`, [ms])
      await client.query(
        `update managed_tx set approve_by = approve_by - $1 * interval '1 millisecond' where approve_by is not null`,
        [ms],
      )
    },
    revokeKey: async (id) => {
      await client.query(
        `insert into api_key (key_id, name, secret_digest, scopes, created_by, tenant, revoked_at, revoked_by)
         values ($1, 'till', sha256('secret'), '{send}', 'ann', 'shop', clock_timestamp(), 'ann')`,
        [id],
      )
    },
    close: async () => {
      await client.end()
      await store.close()
      await database.drop()
    },
  }
})
