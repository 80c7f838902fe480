import { createTestDatabase } from '../../../../tests/setup/database.ts'
import { createSilentTelemetry } from '../telemetry/recording-telemetry.ts'
import { describeAccessStore } from './access-store.suite.ts'
import { createPostgresAccessStore } from './postgres-access-store.ts'

describeAccessStore('PostgreSQL', async () => {
  const database = await createTestDatabase()
  const store = createPostgresAccessStore({ databaseUrl: database.url, telemetry: createSilentTelemetry() })
  return {
    store,
    now: async () => Date.now(),
    close: async () => {
      await store.close()
      await database.drop()
    },
  }
})
