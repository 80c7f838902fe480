/**
 * What a session has to be set to when statements go through a pooler in transaction mode. Without one, Drover sets
 * this itself for each connection; behind one, a connection belongs to nobody for longer than a transaction, so the
 * role has to bring it along.
 */
import { Client } from 'pg'
import { isOutage } from './database-error.ts'
import { DatabaseUnreachable } from './migrate.ts'

export const SESSION = {
  timezone: 'UTC',
  datestyle: 'ISO',
  bytea_output: 'hex',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
} as const

export interface SessionTimeouts {
  readonly statementTimeoutMs: number
  readonly idleInTransactionTimeoutMs: number
}

interface Row {
  readonly name: string
  readonly setting: string
  readonly role: string
  readonly database: string
}

const CONNECT_TIMEOUT_MS = 5_000

/** What to run so that the role fits; null if it does. Throws `DatabaseUnreachable`. */
export async function findSessionFix(poolerUrl: string, timeouts: SessionTimeouts): Promise<string | null> {
  const client = new Client({ connectionString: poolerUrl, connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<Row>(
      `select lower(name) as name, setting, quote_ident(current_user) as role, quote_ident(current_database()) as database
         from pg_settings where lower(name) = any($1)`,
      [[...Object.keys(SESSION), 'statement_timeout', 'idle_in_transaction_session_timeout']],
    )
    const wrong = rows.flatMap((row) => describeWrong(row, timeouts))
    return wrong.length === 0 ? null : wrong.join(' ')
  } catch (error) {
    throw isOutage(error) ? new DatabaseUnreachable(poolerUrl, error) : error
  } finally {
    await client.end()
  }
}

function describeWrong({ name, setting, role, database }: Row, timeouts: SessionTimeouts): readonly string[] {
  const wanted = wantedOf(name, setting, timeouts)
  return wanted === null ? [] : [`alter role ${role} in database ${database} set ${name} = '${wanted}';`]
}

/** The value that is needed; null if the current one will do. */
function wantedOf(name: string, setting: string, timeouts: SessionTimeouts): string | null {
  const { statementTimeoutMs, idleInTransactionTimeoutMs } = timeouts
  const mostMs = name === 'statement_timeout' ? statementTimeoutMs : idleInTransactionTimeoutMs
  if (name.endsWith('_timeout')) return Number(setting) > 0 && Number(setting) <= mostMs ? null : `${mostMs}ms`
  const wanted: string = SESSION[name as keyof typeof SESSION]
  // `ISO, MDY` is `ISO` too.
  return setting.split(',')[0]?.toLowerCase() === wanted.toLowerCase() ? null : wanted
}
