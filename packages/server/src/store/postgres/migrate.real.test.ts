import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../../tests/setup/database.ts'
import { eventually } from '../../../../../tests/setup/eventually.ts'
import { describeOutage, LATEST_SCHEMA_VERSION, LEDGER, LOCK_KEY, MigrationRefused, migrate } from './migrate.ts'
import { MIGRATIONS } from './schema-version.ts'

let database: TestDatabase
let client: Client

beforeAll(async () => {
  database = await createTestDatabase(null)
  client = new Client({ connectionString: database.url })
  await client.connect()
})

afterAll(async () => {
  await client.end()
  await database.drop()
})

test('nodes that start at once apply each migration once', async () => {
  const results = await Promise.all(Array.from({ length: 5 }, () => migrate(database.url)))
  const versions = MIGRATIONS.map((_, index) => index + 1)
  expect(results.flatMap((result) => result.applied).sort((a, b) => a - b)).toEqual(versions)
  for (const { version } of results) expect(version).toBe(LATEST_SCHEMA_VERSION)
  expect(await migrate(database.url)).toEqual({ applied: [], version: LATEST_SCHEMA_VERSION })
})

test('a migration that was changed after it was applied is refused', async () => {
  await withChange(`update schema_migration set checksum = 'other' where version = 1`, async () => {
    await expect(migrate(database.url)).rejects.toThrow(/may not change after release/)
  })
})

test('a schema newer than the program is refused', async () => {
  const newer = LATEST_SCHEMA_VERSION + 1
  await withChange(`insert into schema_migration values (${newer}, 'next', 'x')`, async () => {
    await expect(migrate(database.url)).rejects.toThrow(MigrationRefused)
    await expect(migrate(database.url)).rejects.toThrow(/run a newer version/)
  })
})

test('a user without the right to create tables gets the grant to run', async () => {
  const empty = await createTestDatabase(null)
  const role = `reader_${randomBytes(4).toString('hex')}`
  await client.query(`create role ${role} login password 'x'`)
  try {
    const url = new URL(empty.url)
    url.username = role
    url.password = 'x'
    await expect(migrate(url.href)).rejects.toThrow(/grant it CREATE on the schema/)
  } finally {
    await empty.drop()
    await client.query(`drop role ${role}`)
  }
})

test('a user without that right may start on a schema that is complete', async () => {
  const role = `worker_${randomBytes(4).toString('hex')}`
  await client.query(`create role ${role} login password 'x'`)
  await client.query(`grant select on schema_migration to ${role}`)
  try {
    const url = new URL(database.url)
    url.username = role
    url.password = 'x'
    expect(await migrate(url.href)).toEqual({ applied: [], version: LATEST_SCHEMA_VERSION })
  } finally {
    await client.query(`drop owned by ${role}`)
    await client.query(`drop role ${role}`)
  }
})

test('a migration that does not get its locks gives way, and is applied once they are free', async () => {
  const empty = await createTestDatabase(null)
  const other = new Client({ connectionString: empty.url })
  await other.connect()
  const countWaiting = async () => {
    const { rowCount } = await client.query(
      `select from pg_stat_activity where datname = $1 and application_name = 'drover migrate' and wait_event_type = 'Lock'`,
      [new URL(empty.url).pathname.slice(1)],
    )
    return rowCount
  }
  try {
    await other.query(LEDGER)
    await other.query('begin')
    await other.query('lock table schema_migration in share mode')
    const migrating = migrate(empty.url)
    await eventually(countWaiting, (waiting) => waiting === 1)
    await eventually(countWaiting, (waiting) => waiting === 0)
    await other.query('commit')
    expect((await migrating).applied).toHaveLength(LATEST_SCHEMA_VERSION)
  } finally {
    await other.end()
    await empty.drop()
  }
})

describe('a database that goes away in the middle is one to wait for', () => {
  const outageOf = (migrating: Promise<unknown>) => migrating.then(() => 'migrated', describeOutage)

  test('its connections end', async () => {
    await client.query('select pg_advisory_lock($1)', [LOCK_KEY])
    const outage = outageOf(migrate(database.url))
    await eventually(
      () =>
        client.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'drover migrate' and datname = current_database() and wait_event = 'advisory'`,
        ),
      ({ rowCount }) => rowCount === 1,
    )
    await client.query('select pg_advisory_unlock($1)', [LOCK_KEY])
    expect(await outage).toMatch(/does not respond: terminating connection/)
  })

  test('it is a standby that nobody has promoted yet', async () => {
    const url = new URL(database.url)
    url.searchParams.set('options', '-c default_transaction_read_only=on')
    expect(await outageOf(migrate(url.href))).toMatch(/does not respond: cannot execute .* in a read-only transaction/)
  })
})

test('every migration file is in the list, under its number', async () => {
  const files = (await readdir(new URL('../migrations/', import.meta.url))).sort()
  expect(files).toEqual([...MIGRATIONS])
  for (const [index, name] of files.entries())
    expect(name).toMatch(new RegExp(`^${String(index + 1).padStart(4, '0')}_`))
})

/** Changes the ledger of migrations for as long as it takes. */
async function withChange(change: string, check: () => Promise<void>): Promise<void> {
  await client.query('create temp table kept as table schema_migration')
  await client.query(change)
  try {
    await check()
  } finally {
    await client.query('delete from schema_migration')
    await client.query('insert into schema_migration select * from kept')
    await client.query('drop table kept')
  }
}

test('signers from before the window get the value of their preset; a chosen number stays', async () => {
  const database = await createTestDatabase()
  const client = new Client({ connectionString: database.url })
  await client.connect()
  try {
    const policies = [
      { preset: 'fast', maxInFlight: 64 },
      { preset: 'fast', maxInFlight: 500 },
      { preset: 'stable', maxInFlight: 1 },
    ]
    for (const [index, policy] of policies.entries()) {
      const signer = `\\x${String(index + 1).padStart(40, '0')}`
      await client.query('insert into signer (chain_id, signer, policy) values (1, $1, $2)', [signer, policy])
    }
    const sql = await readFile(new URL('../migrations/0007_window.sql', import.meta.url), 'utf8')
    await client.query(sql.slice(sql.indexOf('update signer')))
    const { rows } = await client.query('select policy from signer order by signer')
    expect(rows.map(({ policy }) => policy)).toEqual([
      { preset: 'fast', maxInFlight: 'auto', slotHeldUntil: 'mined', maxUnfinal: 10_000 },
      { preset: 'fast', maxInFlight: 500, slotHeldUntil: 'mined', maxUnfinal: 10_000 },
      { preset: 'stable', maxInFlight: 1, slotHeldUntil: 'final', maxUnfinal: 10_000 },
    ])
  } finally {
    await client.end()
    await database.drop()
  }
})
