/**
 * The pool of connections behind the PostgreSQL store. Every call is one statement and so one round trip: a process
 * that freezes midway leaves no open database transaction behind.
 *
 * Plans are pinned to index lookups. Statements are prepared once per connection, and PostgreSQL would otherwise keep a
 * plan that it made while a table was empty: a full scan is best for ten rows and ruinous for a million.
 */
import { Client, DatabaseError, Pool, type QueryResultRow } from 'pg'
import { DATABASE_STEP } from '../../core/explain/next-steps.ts'
import { DATABASE_ENTRY } from '../../core/explain/runbook.ts'
import type { Clock } from '../../ports/clock.ts'
import { StoreUnavailable } from '../../ports/store.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { columnParsers } from './column-parsers.ts'
import { isOutage, translateError } from './database-error.ts'
import { isRead } from './is-read.ts'
import { SESSION } from './pooled-session.ts'
import { ASK_MS, createSilenceWatch } from './silence-watch.ts'

export interface Statement {
  /** Prepared under this name on each connection; null for texts that vary. */
  readonly name: string | null
  readonly text: string
  /** A node that cannot do this in time loses its lanes: it never waits for a connection behind other reads. */
  readonly isVital?: boolean
}

export interface DatabaseOptions {
  readonly databaseUrl: string
  /** A pooler in transaction mode, for all statements; null or absent: they go to `databaseUrl`. */
  readonly poolerUrl?: string | null
  readonly telemetry: Pick<Telemetry, 'log' | 'count' | 'gauge'>
  readonly applicationName?: string
  readonly poolSize?: number
  /** Both are kept below the lease time, so that a frozen node never holds a lane longer than its lease. */
  readonly statementTimeoutMs?: number
  readonly idleInTransactionTimeoutMs?: number
  readonly connectTimeoutMs?: number
}

export interface Database {
  query<Row extends QueryResultRow>(statement: Statement, values: readonly unknown[]): Promise<readonly Row[]>
  close(): Promise<void>
}

/** How much longer than the server the driver waits before it considers the connection dead. */
const DRIVER_GRACE_MS = 2_000
const VITAL_CONNECTIONS = 3
/** Long, because a new connection has to plan each statement first, in the middle of the load that asked for it. */
const IDLE_MS = 60_000

const TIMERS: Pick<Clock, 'monotonic' | 'schedule'> = {
  monotonic: () => performance.now(),
  schedule: (delayMs, run) => {
    const timer = setTimeout(run, delayMs)
    return () => clearTimeout(timer)
  },
}

export function createDatabase(options: DatabaseOptions): Database {
  const { telemetry, poolerUrl = null } = options
  const statementTimeoutMs = options.statementTimeoutMs ?? 10_000
  const openPool = (max: number, session: Readonly<Record<string, string>>) =>
    new Pool({
      connectionString: poolerUrl ?? options.databaseUrl,
      application_name: options.applicationName ?? 'drover',
      max,
      query_timeout: statementTimeoutMs + DRIVER_GRACE_MS,
      connectionTimeoutMillis: options.connectTimeoutMs ?? 5_000,
      keepAlive: true,
      idleTimeoutMillis: IDLE_MS,
      types: columnParsers,
      // A pooler refuses or forgets these; the role has them instead (see `findSessionFix`).
      ...(poolerUrl === null && {
        statement_timeout: statementTimeoutMs,
        idle_in_transaction_session_timeout: options.idleInTransactionTimeoutMs ?? 5_000,
        options: Object.entries(session)
          .map(([name, value]) => `-c ${name}=${value}`)
          .join(' '),
      }),
    })
  const pool = openPool(options.poolSize ?? 10, SESSION)
  // Its statements find rows by key: planning them again for the values of the first calls takes longer than running them.
  const vitalPool = openPool(VITAL_CONNECTIONS, { ...SESSION, plan_cache_mode: 'force_generic_plan' })
  // The pool replaces a broken idle connection. The next statement finds out by itself.
  for (const each of [pool, vitalPool]) {
    each.on('error', (error) => {
      telemetry.log('warn', 'lost an idle database connection', { error: error.message })
    })
  }

  let isUp: boolean | null = null
  /** Logged once when an outage starts and once when it ends. Whatever fails in between has its own log lines. */
  function noteState(now: boolean, error?: Error): void {
    if (now === isUp) return
    const isFirst = isUp === null
    isUp = now
    telemetry.gauge('drover_database_up', now ? 1 : 0)
    if (now && !isFirst) telemetry.log('info', 'the database responds again')
    if (now) return
    const fields = { error: error?.message, next: DATABASE_STEP, runbook: DATABASE_ENTRY }
    telemetry.log('error', 'the database does not respond', fields)
  }

  const silence = createSilenceWatch({
    clock: TIMERS,
    ask: () => askServer(poolerUrl ?? options.databaseUrl),
    isAnswer: (error) => error instanceof DatabaseError,
    isOutage,
    onSilence: (error) => noteState(false, error),
    onAnswer: () => noteState(true),
  })

  return {
    async query<Row extends QueryResultRow>({ name, text, isVital }: Statement, values: readonly unknown[]) {
      const count = (outcome: 'ok' | 'unavailable' | 'failed') =>
        telemetry.count('drover_store_round_trips_total', { operation: name ?? 'other', outcome })
      try {
        const run = () =>
          (isVital ? vitalPool : pool).query<Row>({
            text,
            values: [...values],
            // A prepared statement stays with its connection, and behind a pooler the next one is another.
            ...(name === null || poolerUrl !== null ? {} : { name }),
          })
        const result = await silence.run(run, isRead(text))
        count('ok')
        noteState(true)
        return result.rows
      } catch (error) {
        const meant = translateError(error)
        const isAway = meant instanceof StoreUnavailable
        count(isAway ? 'unavailable' : 'failed')
        if (isAway && isOutage(error)) noteState(false, meant)
        throw meant
      }
    },
    close: async () => {
      silence.close()
      await Promise.all([pool.end(), vitalPool.end()])
    },
  }
}

/** Over a connection of its own: those of the pools may all be waiting, or be dead themselves. */
async function askServer(connectionString: string): Promise<void> {
  const limits = { connectionTimeoutMillis: ASK_MS, query_timeout: ASK_MS }
  const client = new Client({ connectionString, application_name: 'drover check', ...limits })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('select 1')
  } finally {
    await client.end()
  }
}
