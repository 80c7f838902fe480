/**
 * How far each kind has been archived. One archive runs at a time: it holds a lock as long as its connection lasts, and
 * moves a mark only from where it found it.
 */
import { Client } from 'pg'
import { columnParsers } from '../column-parsers.ts'
import { DatabaseUnreachable, LATEST_SCHEMA_VERSION, MigrationRefused } from '../migrate.ts'

export type ArchiveKind = 'transactions' | 'events' | 'audit'

export interface ArchiveMark {
  readonly kind: ArchiveKind
  /** The number of the last one archived; 0: none. */
  readonly upTo: number
  /** When the mark was last moved or confirmed. */
  readonly archivedAt: number | null
}

export interface ArchiveMarks {
  read(): Promise<readonly ArchiveMark[]>
  /** False: it is not at `from` any more, and was not moved. */
  move(kind: ArchiveKind, from: number, to: number): Promise<boolean>
  close(): Promise<void>
}

/** Any constant will do as long as nothing else in the database uses it. */
const LOCK_KEY = '4919341720851440'
const CONNECT_TIMEOUT_MS = 10_000

/** Null: another archive is running. */
export async function openArchiveMarks(databaseUrl: string): Promise<ArchiveMarks | null> {
  const client = await connect(databaseUrl, 'drover archive')
  const isMine = await lock(client).catch(async (error: unknown) => {
    await client.end()
    throw error
  })
  if (!isMine) {
    await client.end()
    return null
  }
  return {
    read: () => readMarks(client),
    move: async (kind, from, to) => {
      const moved = await client.query(
        'update archive_mark set up_to = $3, archived_at = clock_timestamp() where kind = $1 and up_to = $2',
        [kind, from, to],
      )
      return moved.rowCount === 1
    },
    close: () => client.end(),
  }
}

/** An archive changes no schema: nodes of an earlier version may be running. */
async function lock(client: Client): Promise<boolean> {
  const table = await client.query<{ name: string | null }>(`select to_regclass('schema_migration') as name`)
  const version =
    table.rows[0]?.name === null
      ? 0
      : Number((await client.query('select max(version) as version from schema_migration')).rows[0]?.version ?? 0)
  if (version < LATEST_SCHEMA_VERSION) {
    const found = `the database has schema version ${version}, and this version of Drover needs ${LATEST_SCHEMA_VERSION}`
    throw new MigrationRefused(`${found}: run \`drover migrate\` first`)
  }
  const { rows } = await client.query<{ mine: boolean }>('select pg_try_advisory_lock($1) as mine', [LOCK_KEY])
  return rows[0]?.mine === true
}

/** Whether or not an archive is running. */
export async function readArchiveMarks(databaseUrl: string, applicationName: string): Promise<readonly ArchiveMark[]> {
  const client = await connect(databaseUrl, applicationName)
  try {
    return await readMarks(client)
  } finally {
    await client.end()
  }
}

async function connect(databaseUrl: string, applicationName: string): Promise<Client> {
  const client = new Client({
    connectionString: databaseUrl,
    application_name: applicationName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    types: columnParsers,
  })
  // A lost connection also fails the next statement; without a listener it would end the process instead.
  client.on('error', () => {})
  await client.connect().catch((error: unknown) => {
    throw new DatabaseUnreachable(databaseUrl, error)
  })
  return client
}

async function readMarks(client: Client): Promise<readonly ArchiveMark[]> {
  interface Row {
    readonly kind: ArchiveKind
    readonly up_to: number
    readonly archived_at: number | null
  }
  const { rows } = await client.query<Row>('select kind, up_to, archived_at from archive_mark')
  return rows.map((row) => ({ kind: row.kind, upTo: row.up_to, archivedAt: row.archived_at }))
}
