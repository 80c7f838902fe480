/**
 * Vitest global setup: one PostgreSQL per project and run, or the server named by DROVER_TEST_DATABASE_URL. Each
 * project gets its own, because sharing would complicate more than it saves.
 */
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import type { TestProject } from 'vitest/node'
import { DevSetupError } from '../../packages/dev/src/dev-setup-error.ts'
import { errorCode } from '../../packages/dev/src/error-code.ts'
import { removeEmbeddedPostgres, startEmbeddedPostgres } from '../../packages/dev/src/postgres/embedded-postgres.ts'
import { SESSION } from '../../packages/server/src/store/postgres/pooled-session.ts'
import { type PgBouncer, startPgBouncer } from './pgbouncer.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of a superuser; tests get their own databases from `createTestDatabase`. */
    readonly databaseAdminUrl: string
    /** The prefix of every database name of this run. */
    readonly databasePrefix: string
    /** The port of a PgBouncer in front of all databases, which services use for their statements; null: none. */
    readonly poolerPort: string | null
  }
}

/** What `drover start` wants of a role behind a pooler; the timeouts fit the shortest leases in tests. */
const SESSION_QUERY = [
  ...Object.entries(SESSION).map(([name, value]) => `set ${name} = '${value}';`),
  "set statement_timeout = '1300ms'; set idle_in_transaction_session_timeout = '600ms';",
].join(' ')

const FOLDER_PREFIX = 'drover-test-postgres-'
const MIN_AGE_MS = 60_000

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const databasePrefix = `drover_test_${randomBytes(6).toString('hex')}`
  project.provide('databasePrefix', databasePrefix)
  const external = process.env.DROVER_TEST_DATABASE_URL
  if (external !== undefined && external !== '') {
    project.provide('databaseAdminUrl', external)
    const pooler = await startPooler(project, external)
    return async () => {
      await pooler?.stop()
      await dropDatabases(external, databasePrefix)
    }
  }
  await removeLeftovers()
  const folder = await mkdtemp(join(tmpdir(), FOLDER_PREFIX))
  // Root runs PostgreSQL as another user, who needs access to the folder.
  await chmod(folder, 0o711)
  const dataDir = join(folder, 'postgres')
  const postgres = await startEmbeddedPostgres({ dataDir, fast: true })
  project.provide('databaseAdminUrl', postgres.databaseUrl)
  const pooler = await startPooler(project, postgres.databaseUrl)
  return async () => {
    await pooler?.stop()
    await postgres.stop()
    await removeFolder(folder)
  }
}

/** With DROVER_TEST_POOLER=1, all statements of services go through a real PgBouncer in transaction mode. */
async function startPooler(project: TestProject, databaseUrl: string): Promise<PgBouncer | null> {
  const isWanted = process.env.DROVER_TEST_POOLER === '1'
  const pooler = isWanted ? await startPgBouncer(databaseUrl, { anyDatabase: true, connectQuery: SESSION_QUERY }) : null
  project.provide('poolerPort', pooler === null ? null : new URL(pooler.url).port)
  return pooler
}

/** A run that was killed leaves its server running. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(FOLDER_PREFIX)) continue
    const folder = join(tmpdir(), name)
    try {
      // A newer one may belong to a run that is just starting.
      if (Date.now() - (await stat(folder)).ctimeMs > MIN_AGE_MS) await removeFolder(folder)
    } catch (error) {
      // In use by another run, owned by another user, or just removed by another run.
      const isElsewhere = ['EACCES', 'EPERM', 'ENOENT'].includes(errorCode(error) ?? '')
      if (!(error instanceof DevSetupError) && !isElsewhere) throw error
    }
  }
}

async function removeFolder(folder: string): Promise<void> {
  await removeEmbeddedPostgres(join(folder, 'postgres'))
  await rm(folder, { recursive: true, force: true })
}

async function dropDatabases(adminUrl: string, prefix: string): Promise<void> {
  const client = new Client({ connectionString: adminUrl })
  await client.connect()
  try {
    const found = await client.query<{ datname: string }>(
      'select datname from pg_database where starts_with(datname, $1)',
      [prefix],
    )
    for (const { datname } of found.rows) await client.query(`drop database if exists "${datname}" with (force)`)
  } finally {
    await client.end()
  }
}
