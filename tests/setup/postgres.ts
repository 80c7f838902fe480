/**
 * Vitest global setup: one PostgreSQL for the run of a project, or the server that DROVER_TEST_DATABASE_URL names.
 * Two projects in one run each get their own, which costs less than sharing would complicate.
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

declare module 'vitest' {
  interface ProvidedContext {
    /** A superuser's URL; tests take databases of their own from `createTestDatabase`. */
    readonly databaseAdminUrl: string
    /** Begins the name of every database of this run. */
    readonly databasePrefix: string
  }
}

const FOLDER_PREFIX = 'drover-test-postgres-'
const MIN_AGE_MS = 60_000

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const databasePrefix = `drover_test_${randomBytes(6).toString('hex')}`
  project.provide('databasePrefix', databasePrefix)
  const external = process.env.DROVER_TEST_DATABASE_URL
  if (external !== undefined && external !== '') {
    project.provide('databaseAdminUrl', external)
    return () => dropDatabases(external, databasePrefix)
  }
  await removeLeftovers()
  const folder = await mkdtemp(join(tmpdir(), FOLDER_PREFIX))
  // Root runs PostgreSQL as another user, who has to get through.
  await chmod(folder, 0o711)
  const dataDir = join(folder, 'postgres')
  const postgres = await startEmbeddedPostgres({ dataDir, fast: true })
  project.provide('databaseAdminUrl', postgres.databaseUrl)
  return async () => {
    await postgres.stop()
    await removeFolder(folder)
  }
}

/** A run that was killed leaves its server running. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(FOLDER_PREFIX)) continue
    const folder = join(tmpdir(), name)
    try {
      // A younger one may belong to a run that is just about to take it.
      if (Date.now() - (await stat(folder)).ctimeMs > MIN_AGE_MS) await removeFolder(folder)
    } catch (error) {
      // In use by a run that is still going on, another user's, or just removed by another run.
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
