import { createHash } from 'node:crypto'
import { Client } from 'pg'
import { describe, expect, test } from 'vitest'
import { createTestDatabase } from '../../../../../../tests/setup/database.ts'
import { describeAccessStore } from '../../../testing/store/conformance/access-store.suite.ts'
import { createSilentTelemetry } from '../../../testing/telemetry/recording-telemetry.ts'
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

describe('the chain of the audit', () => {
  test.each([
    ['an entry that was changed', `update audit_entry set actor = 'nobody' where audit_id = 3`, 3],
    ['an entry that was deleted', 'delete from audit_entry where audit_id = 3', 4],
    ['an end that was cut off', 'delete from audit_entry where audit_id >= 4', 5],
    ['all that was deleted', 'delete from audit_entry', 5],
    [
      'an entry that was put in',
      `insert into audit_entry (audit_id, actor, operation, target, result, hash)
       select 6, actor, operation, target, result, hash from audit_entry where audit_id = 5`,
      6,
    ],
    ['a beginning that was cut off', 'delete from audit_entry where audit_id <= 2', 3],
    [
      'a beginning that was cut off and made to look deleted by age',
      `with cut as (delete from audit_entry where audit_id <= 2) update audit_head set deleted_id = 2`,
      3,
    ],
  ])('shows %s', async (_, sql, brokenAt) => {
    const database = await createTestDatabase()
    const store = createPostgresAccessStore({ databaseUrl: database.url, telemetry: createSilentTelemetry() })
    const client = new Client({ connectionString: database.url })
    await client.connect()
    const note = { keyId: null, actor: 'ann', nodeId: null, target: '/v1/x', result: 'done' }
    for (let count = 1; count <= 5; count++) await store.appendAudit({ ...note, operation: `o${count}` })
    expect((await store.checkAudit({ after: 0, limit: 100 })).brokenAt).toBeNull()
    await client.query(sql)
    expect((await store.checkAudit({ after: 0, limit: 100 })).brokenAt).toBe(brokenAt)
    await client.end()
    await store.close()
    await database.drop()
  })

  test('shows an entry that is missing after those that were deleted because of their age', async () => {
    const database = await createTestDatabase()
    const store = createPostgresAccessStore({ databaseUrl: database.url, telemetry: createSilentTelemetry() })
    const client = new Client({ connectionString: database.url })
    await client.connect()
    const note = { keyId: null, actor: 'ann', nodeId: null, target: '/v1/x', result: 'done' }
    for (let count = 1; count <= 5; count++) await store.appendAudit({ ...note, operation: `o${count}` })
    await client.query(`update archive_mark set up_to = 2 where kind = 'audit'`)
    const archived = { olderThanMs: 0, limit: 100, onlyArchived: true }
    expect(await store.deleteAudit(archived)).toEqual({ count: 2, lastId: 2 })
    expect(await store.checkAudit({ after: 0, limit: 100 })).toMatchObject({ brokenAt: null, deleted: { id: 2 } })
    await client.query('delete from audit_entry where audit_id = 3')
    expect((await store.checkAudit({ after: 0, limit: 100 })).brokenAt).toBe(4)
    await client.end()
    await store.close()
    await database.drop()
  })

  test('can be computed by anyone from API data', async () => {
    const database = await createTestDatabase()
    const store = createPostgresAccessStore({ databaseUrl: database.url, telemetry: createSilentTelemetry() })
    await store.appendAudit({
      keyId: 'k',
      actor: 'Zoë',
      nodeId: 'n',
      operation: 'o',
      target: '/x',
      result: 'done',
    })
    const [entry] = await store.listAudit({ before: null, limit: 1 })
    const text = `[1, ${entry?.at}, "k", "Zoë", "n", "o", "/x", "done"]`
    expect(entry?.hash).toBe(createHash('sha256').update(Buffer.alloc(32)).update(text).digest('hex'))
    await store.close()
    await database.drop()
  })
})
