/**
 * Brings a database to this program's schema.
 *
 * Several nodes may start at once, so each step takes the same advisory lock inside its own database transaction, looks
 * at what has been applied by then, and applies at most one migration. A node that dies in between leaves whole steps.
 * Each applied migration is recorded with a checksum: a migration that was edited afterwards, or a schema newer than
 * the program, is an error rather than a guess. Nodes of the previous release keep working meanwhile: a step that does
 * not get its locks soon gives way and tries again.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { Client, DatabaseError } from 'pg'
import { StoreUnavailable } from '../../ports/store.ts'
import { translateError } from './database-error.ts'
import { type Migration, readMigrations } from './read-migrations.ts'
import { LATEST_SCHEMA_VERSION } from './schema-version.ts'

export { LATEST_SCHEMA_VERSION }

/** The database and this program do not fit together; nothing was changed by the step that found it. */
export class MigrationRefused extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'MigrationRefused'
  }
}

/** The database does not respond, or it refuses the connection. */
export class DatabaseUnreachable extends Error {
  /** Host and database, without credentials. */
  readonly place: string

  constructor(databaseUrl: string, cause: unknown) {
    const { host, pathname } = new URL(databaseUrl)
    super(`the database ${host}${pathname} cannot be used; check DROVER_DATABASE_URL`, { cause })
    this.name = 'DatabaseUnreachable'
    this.place = `${host}${pathname}`
  }
}

/**
 * Why the database cannot be used at this moment; null if it responds but refuses us, because waiting does not help
 * then.
 */
export function describeOutage(error: unknown): string | null {
  const isUnreachable = error instanceof DatabaseUnreachable
  const meant = isUnreachable ? translateError(error.cause) : error
  if (!(meant instanceof StoreUnavailable)) return null
  return isUnreachable ? `${error.place} does not respond: ${causeOf(meant)}` : meant.message
}

/** A name with several addresses fails with one error for each. */
function causeOf({ cause, message }: StoreUnavailable): string {
  const first = cause instanceof AggregateError ? cause.errors[0] : cause
  return first instanceof Error && first.message !== '' ? first.message : message
}

/** Any constant will do as long as nothing else in the database uses it. */
export const LOCK_KEY = '4919341720851437'

const CONNECT_TIMEOUT_MS = 10_000
const INSUFFICIENT_PRIVILEGE = '42501'
/** A lock that was not free in time, and a deadlock with a node. */
const BUSY = new Set(['55P03', '40P01'])
/** Whoever waits for a whole table makes everybody behind wait too, so it waits for less than a node can bear. */
const LOCK_TIMEOUT_MS = 2_000
const LOCK_ATTEMPTS = 60
const LOCK_PAUSE_MS = 500

export const LEDGER = `
  create table if not exists schema_migration (
    version integer primary key,
    name text not null,
    checksum text not null,
    applied_at timestamptz not null default clock_timestamp()
  )`

interface AppliedRow {
  readonly version: number
  readonly name: string
  readonly checksum: string
}

export async function migrate(databaseUrl: string): Promise<{ applied: readonly number[]; version: number }> {
  const migrations = await readMigrations()
  const client = new Client({
    connectionString: databaseUrl,
    application_name: 'drover migrate',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  })
  // A lost connection also fails the query that is waiting; without a listener it would end the process instead.
  client.on('error', () => {})
  await client.connect().catch((error: unknown) => {
    throw new DatabaseUnreachable(databaseUrl, error)
  })
  try {
    const applied: number[] = []
    for (;;) {
      const version = await applyPatiently(client, migrations).catch((error: unknown) => {
        throw isOutage(error) ? new DatabaseUnreachable(databaseUrl, error) : error
      })
      if (version === null) return { applied, version: LATEST_SCHEMA_VERSION }
      applied.push(version)
    }
  } finally {
    // Also rolls back what was begun.
    await client.end()
  }
}

/** Nodes work meanwhile, so a lock may be taken. */
async function applyPatiently(client: Client, migrations: readonly Migration[]): Promise<number | null> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await applyNext(client, migrations)
    } catch (error) {
      if (!isBusy(error) || attempt === LOCK_ATTEMPTS) throw error
      await delay(LOCK_PAUSE_MS)
    }
  }
}

/** Applies the first migration that is missing; null when there is none. */
async function applyNext(client: Client, migrations: readonly Migration[]): Promise<number | null> {
  await client.query('begin')
  try {
    await client.query('select pg_advisory_xact_lock($1)', [LOCK_KEY])
    await ensureLedger(client)
    const { rows } = await client.query<AppliedRow>(
      'select version, name, checksum from schema_migration order by version',
    )
    verifyApplied(rows, migrations)
    const next = migrations[rows.length]
    if (next !== undefined) {
      await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
      await client.query(next.sql)
      await client.query('insert into schema_migration (version, name, checksum) values ($1, $2, $3)', [
        next.version,
        next.name,
        next.checksum,
      ])
    }
    await client.query('commit')
    return next?.version ?? null
  } catch (error) {
    // If the connection is lost, the server has already rolled back. The error to report is why it was lost.
    if (isBusy(error) || !isOutage(error)) await rollback(client, error)
    if (!(error instanceof DatabaseError) || error.code !== INSUFFICIENT_PRIVILEGE) throw error
    const advice = 'grant it CREATE on the schema, or run `drover migrate` as a user who has it'
    throw new MigrationRefused(`the database user may not create tables; ${advice}`, { cause: error })
  }
}

/** A user who may not create tables may still start on a schema that is complete. A read-only database refuses here. */
async function ensureLedger(client: Client): Promise<void> {
  const { rows } = await client.query<{ found: boolean }>(
    `select to_regclass('schema_migration') is not null and not current_setting('transaction_read_only')::boolean as found`,
  )
  if (rows[0]?.found !== true) await client.query(LEDGER)
}

function isBusy(error: unknown): boolean {
  return error instanceof DatabaseError && BUSY.has(error.code ?? '')
}

/** The database is down, or cannot write right now. */
function isOutage(error: unknown): boolean {
  return !(error instanceof MigrationRefused) && translateError(error) instanceof StoreUnavailable
}

async function rollback(client: Client, because: unknown): Promise<void> {
  try {
    await client.query('rollback')
  } catch (error) {
    throw new AggregateError([because, error], 'a migration failed and its transaction could not be rolled back')
  }
}

function verifyApplied(rows: readonly AppliedRow[], migrations: readonly Migration[]): void {
  const newest = rows.at(-1)
  if (newest !== undefined && newest.version > migrations.length) {
    throw new MigrationRefused(
      `the database has schema version ${newest.version} but this version of Drover knows only ${migrations.length}: run a newer version`,
    )
  }
  for (const [index, row] of rows.entries()) {
    const known = migrations[index]
    if (known === undefined || known.version !== row.version) {
      throw new MigrationRefused(`schema version ${index + 1} was skipped in this database (found ${row.version})`)
    }
    if (known.checksum !== row.checksum) {
      throw new MigrationRefused(
        `migration ${known.name} differs from the ${row.name} that was applied to this database; migrations may not change after release`,
      )
    }
  }
}
