/** Inspects a database without changing it, for `drover doctor`. */
import { Client } from 'pg'

export interface DatabaseProbe {
  /** As PostgreSQL numbers itself: 150004 is 15.4. */
  readonly serverVersion: number
  /** Null: no migration was ever applied. */
  readonly schemaVersion: number | null
  readonly mayCreate: boolean
  /** How far the database's clock is ahead of this machine's, and by how much that may be wrong. */
  readonly clockSkewMs: number
  readonly clockErrorMs: number
}

const TIMEOUT_MS = 5_000

export async function probeDatabase(databaseUrl: string): Promise<DatabaseProbe> {
  const client = new Client({
    connectionString: databaseUrl,
    application_name: 'drover doctor',
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  })
  // A lost connection also fails the query that is waiting; without a listener it would end the process instead.
  client.on('error', () => {})
  await client.connect()
  try {
    const askedAt = Date.now()
    const { rows } = await client.query<{ version: number; now: string; ledger: boolean; may_create: boolean }>(
      `select current_setting('server_version_num')::int as version,
              (extract(epoch from clock_timestamp()) * 1000)::text as now,
              to_regclass('schema_migration') is not null as ledger,
              coalesce(has_schema_privilege(current_schema(), 'create'), false) as may_create`,
    )
    const answeredAt = Date.now()
    const [row] = rows
    if (row === undefined) throw new Error('the database answered without a row')
    return {
      serverVersion: row.version,
      schemaVersion: row.ledger ? await readSchemaVersion(client) : null,
      mayCreate: row.may_create,
      clockSkewMs: Math.round(Number(row.now) - (askedAt + answeredAt) / 2),
      clockErrorMs: Math.ceil((answeredAt - askedAt) / 2),
    }
  } finally {
    await client.end()
  }
}

async function readSchemaVersion(client: Client): Promise<number | null> {
  const { rows } = await client.query<{ version: number | null }>(
    'select max(version) as version from schema_migration',
  )
  return rows[0]?.version ?? null
}
