/** Inspects a database without changing it, for `drover doctor`. */
import { Client } from 'pg'
import { readMigrations } from './read-migrations.ts'

export interface DatabaseProbe {
  /** As PostgreSQL numbers itself: 150004 is 15.4. */
  readonly serverVersion: number
  /** Null: no migration was ever applied. */
  readonly schemaVersion: number | null
  readonly mayCreate: boolean
  /** How far the database's clock is ahead of this machine's, and by how much that may be wrong. */
  readonly clockSkewMs: number
  readonly clockErrorMs: number
  /** Null: it takes writes. */
  readonly readOnly: 'standby' | 'setting' | null
  /** Settings that let an acknowledged commit get lost, such as `fsync`. */
  readonly unsafeSettings: readonly string[]
  /** Replicas that are asynchronous, if no replica is synchronous; 0 if this user may not see them. */
  readonly asyncStandbys: number
  /** How many connections this user may open to this database. */
  readonly connectionLimit: number
  /** Nodes that run on this database now. */
  readonly liveNodes: number
  /** Tables and sequences of Drover that this user may not read and write. */
  readonly forbiddenTables: readonly string[]
}

const TIMEOUT_MS = 10_000

interface ServerRow {
  readonly version: number
  readonly now: string
  readonly ledger: boolean
  readonly may_create: boolean
  readonly is_standby: boolean
  readonly is_read_only: boolean
  readonly unsafe: readonly string[]
  readonly async_standbys: number
  readonly connection_limit: number
}

/** Limits of roles and databases do not hold for superusers. */
const SERVER = `
select current_setting('server_version_num')::int as version,
       (extract(epoch from clock_timestamp()) * 1000)::text as now,
       to_regclass('schema_migration') is not null as ledger,
       coalesce(has_schema_privilege(current_schema(), 'create'), false) as may_create,
       pg_is_in_recovery() as is_standby,
       current_setting('transaction_read_only')::boolean as is_read_only,
       array(select name from pg_settings
              where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off'
              order by name)::text[] as unsafe,
       (select case when bool_or(sync_state in ('sync', 'quorum')) then 0
                    else count(*) filter (where sync_state = 'async') end
          from pg_stat_replication)::int as async_standbys,
       least(current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
             case when r.rolsuper or r.rolconnlimit < 0 then null else r.rolconnlimit end,
             case when r.rolsuper or d.datconnlimit < 0 then null else d.datconnlimit end) as connection_limit
  from pg_roles r, pg_database d
 where r.rolname = current_user and d.datname = current_database()`

/** Of the ledger of migrations, reading is enough. */
const FORBIDDEN = `
select c.relname as name
  from unnest($1::text[]) as wanted join pg_class c on c.oid = to_regclass(quote_ident(wanted))
 where case when c.relkind = 'S' then not has_sequence_privilege(c.oid, 'usage')
            when c.relname = 'schema_migration' then not has_table_privilege(c.oid, 'select')
            else not (has_table_privilege(c.oid, 'select') and has_table_privilege(c.oid, 'insert')
                      and has_table_privilege(c.oid, 'update') and has_table_privilege(c.oid, 'delete')) end
 order by c.relname`

const LIVE_NODES = `
select count(*)::int as nodes from node where heartbeat_at >= clock_timestamp() - ttl_ms * interval '1 millisecond'`

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
    const { rows } = await client.query<ServerRow>(SERVER)
    const answeredAt = Date.now()
    const [row] = rows
    if (row === undefined) throw new Error('the database answered without a row')
    const forbiddenTables = row.ledger ? await listForbidden(client) : []
    const mayRead = (table: string) => row.ledger && !forbiddenTables.includes(table)
    return {
      serverVersion: row.version,
      schemaVersion: mayRead('schema_migration') ? await readSchemaVersion(client) : null,
      mayCreate: row.may_create,
      clockSkewMs: Math.round(Number(row.now) - (askedAt + answeredAt) / 2),
      clockErrorMs: Math.ceil((answeredAt - askedAt) / 2),
      readOnly: row.is_standby ? 'standby' : row.is_read_only ? 'setting' : null,
      unsafeSettings: row.unsafe,
      asyncStandbys: row.async_standbys,
      connectionLimit: row.connection_limit,
      liveNodes: mayRead('node') ? ((await client.query<{ nodes: number }>(LIVE_NODES)).rows[0]?.nodes ?? 0) : 0,
      forbiddenTables,
    }
  } finally {
    await client.end()
  }
}

/** The schema may hold tables of other programs, so only those that a migration creates count. */
async function listForbidden(client: Client): Promise<readonly string[]> {
  const created = (await readMigrations()).flatMap(({ sql }) =>
    [...sql.matchAll(/^create (?:table|sequence) (\w+)/gim)].map(([, name = '']) => name),
  )
  const { rows } = await client.query<{ name: string }>(FORBIDDEN, [['schema_migration', ...created]])
  return rows.map(({ name }) => name)
}

async function readSchemaVersion(client: Client): Promise<number | null> {
  const { rows } = await client.query<{ version: number | null }>(
    'select max(version) as version from schema_migration',
  )
  return rows[0]?.version ?? null
}
