/** Whether the database is usable and safe, and whether this user may do what Drover needs. */

import { hasSharedSessions } from '../../store/postgres/find-shared-sessions.ts'
import { DatabaseUnreachable, LATEST_SCHEMA_VERSION } from '../../store/postgres/migrate.ts'
import { findSessionFix, type SessionTimeouts } from '../../store/postgres/pooled-session.ts'
import { type DatabaseProbe, probeDatabase } from '../../store/postgres/probe-database.ts'
import type { Door } from '../find-door-problem.ts'
import { adviseConnection } from './advise-connection.ts'
import { diagnoseAccess } from './diagnose-access.ts'
import { diagnoseArchive } from './diagnose-archive.ts'
import { diagnosePrivateSends, type Senders } from './diagnose-private-sends.ts'
import { diagnoseRules } from './diagnose-rules.ts'
import { type Finding, failed, ok, warn } from './finding.ts'

const OLDEST_POSTGRES = 140_000
const MAX_SKEW_MS = 1_000
/** The most that a node opens at a time, over all its pools. */
const CONNECTIONS_OF_A_NODE = 40

export interface DatabaseSubject {
  readonly url: string
  readonly door: Door | null
  readonly hasPooler: boolean
  readonly keepUntilArchived: boolean
  readonly senders: Senders
}

export async function diagnoseDatabase(subject: DatabaseSubject): Promise<readonly Finding[]> {
  const { url, door, hasPooler, keepUntilArchived, senders } = subject
  const { host, pathname } = new URL(url)
  try {
    // The rest would only repeat it.
    if (await hasSharedSessions(url)) return [judgeShared(`${host}${pathname}`)]
    const probe = await probeDatabase(url)
    const isUsable = probe.schemaVersion === LATEST_SCHEMA_VERSION && probe.forbiddenTables.length === 0
    return [
      ...judgeDatabase(probe, `${host}${pathname}`),
      ...(hasPooler ? [] : [judgeConnections(probe)]),
      ...(isUsable && door !== null ? [await diagnoseAccess(url, door)] : []),
      ...(isUsable ? await diagnoseRules(url) : []),
      ...(isUsable ? await diagnosePrivateSends(url, senders) : []),
      ...(isUsable && keepUntilArchived ? [await diagnoseArchive(url)] : []),
    ]
  } catch (error) {
    const said = messageOf(error)
    const fix = adviseConnection(said, 'DROVER_DATABASE_URL')
    return [failed('database', `${host}${pathname} cannot be used: ${said}`, fix)]
  }
}

export async function diagnosePooler(url: string, timeouts: SessionTimeouts): Promise<readonly Finding[]> {
  const { host } = new URL(url)
  try {
    const fix = await findSessionFix(url, timeouts)
    if (fix === null) return [ok('pooler', `${host}, and the role has the settings that Drover needs`)]
    return [failed('pooler', `${host}: the role lacks settings that Drover needs`, `run this in PostgreSQL: ${fix}`)]
  } catch (error) {
    const said = error instanceof DatabaseUnreachable ? messageOf(error.cause) : messageOf(error)
    const fix = adviseConnection(said, 'DROVER_DATABASE_POOLER_URL')
    return [failed('pooler', `${host} cannot be used: ${said}`, fix)]
  }
}

function judgeShared(place: string): Finding {
  return failed(
    'database',
    `${place} is a pooler in transaction mode: notifications and session settings get lost there`,
    'set DROVER_DATABASE_POOLER_URL to this URL, and DROVER_DATABASE_URL to PostgreSQL itself',
  )
}

function judgeDatabase(probe: DatabaseProbe, place: string): readonly Finding[] {
  return [
    judgeServer(probe, place),
    judgeSchema(probe),
    ...judgeRights(probe),
    ...judgeDurability(probe),
    judgeClock(probe),
  ]
}

function judgeServer({ serverVersion, readOnly }: DatabaseProbe, place: string): Finding {
  const version = `PostgreSQL ${Math.floor(serverVersion / 10_000)}.${serverVersion % 10_000}`
  if (serverVersion < OLDEST_POSTGRES)
    return failed('database', `${version} at ${place} is too old`, 'use PostgreSQL 14 or later')
  if (readOnly === 'standby')
    return failed('database', `${place} is a standby and takes no writes`, 'point DROVER_DATABASE_URL at the primary')
  if (readOnly === 'setting')
    return failed(
      'database',
      `${place} is read-only for this user (default_transaction_read_only)`,
      'turn the setting off for this user and database, or use another user',
    )
  return ok('database', `${version} at ${place}`)
}

function judgeSchema({ schemaVersion: found, mayCreate, forbiddenTables }: DatabaseProbe): Finding {
  if (forbiddenTables.includes('schema_migration'))
    return warn('schema', 'its version cannot be read', 'grant this user the rights below')
  if (found !== null && found > LATEST_SCHEMA_VERSION) {
    return failed(
      'schema',
      `version ${found}; this version of Drover knows only ${LATEST_SCHEMA_VERSION}`,
      'run a newer version of Drover',
    )
  }
  if (found === LATEST_SCHEMA_VERSION) return ok('schema', `version ${found}`)
  const detail = `${found === null ? 'none' : `version ${found}`}; version ${LATEST_SCHEMA_VERSION} is required`
  return mayCreate
    ? warn('schema', detail, 'run `drover migrate` (`drover start` does this too)')
    : failed('schema', detail, 'run `drover migrate` as a user who may create tables')
}

function judgeRights({ forbiddenTables }: DatabaseProbe): readonly Finding[] {
  if (forbiddenTables.length === 0) return []
  const [first = '', ...more] = forbiddenTables
  const others = more.length === 0 ? '' : ` and ${more.length} more`
  const grant = 'select, insert, update, delete on all tables in schema public'
  return [
    failed(
      'rights',
      `the database user may not read and write ${first}${others}`,
      `run as the owner of the tables: grant ${grant} to <user>; grant usage on all sequences in schema public to <user>;`,
    ),
  ]
}

function judgeDurability({ unsafeSettings, asyncStandbys }: DatabaseProbe): readonly Finding[] {
  const findings: Finding[] = []
  const lost = 'a commit that was acknowledged can get lost, and its nonce be used again'
  if (unsafeSettings.includes('synchronous_commit'))
    findings.push(failed('durability', `synchronous_commit is off: ${lost}`, 'set synchronous_commit = on'))
  const unflushed = unsafeSettings.filter((name) => name !== 'synchronous_commit')
  if (unflushed.length > 0) {
    const names = unflushed.join(' and ')
    findings.push(warn('durability', `${names} off: when the machine fails, ${lost}`, 'turn it on, except for tests'))
  }
  if (asyncStandbys > 0)
    findings.push(
      warn(
        'durability',
        `all standbys are asynchronous: after a promotion, ${lost}`,
        'set synchronous_standby_names (docs/operations.md, Database failover)',
      ),
    )
  return findings
}

function judgeClock({ clockSkewMs, clockErrorMs }: DatabaseProbe): Finding {
  const isOff = Math.abs(clockSkewMs) - clockErrorMs > MAX_SKEW_MS
  if (!isOff) return ok('clock', `within ${Math.abs(clockSkewMs) + clockErrorMs} ms of the database`)
  return warn(
    'clock',
    `the database is ${clockSkewMs} ms ahead of this machine`,
    'sync both clocks with NTP; Drover itself uses the clock of the database',
  )
}

function judgeConnections({ connectionLimit, liveNodes }: DatabaseProbe): Finding {
  const limit = `this user may open ${connectionLimit} connections to the database`
  const fix = 'raise max_connections, or the CONNECTION LIMIT of the role or the database'
  if (connectionLimit < CONNECTIONS_OF_A_NODE)
    return failed('connections', `${limit}; a node may need ${CONNECTIONS_OF_A_NODE}`, fix)
  const needed = Math.max(liveNodes, 1) * CONNECTIONS_OF_A_NODE
  if (connectionLimit < needed)
    return warn('connections', `${limit}; ${liveNodes} nodes may need ${needed}`, `${fix}, or use PgBouncer`)
  return ok('connections', `${limit}; a node may need ${CONNECTIONS_OF_A_NODE}`)
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return messageOf(error.errors[0])
  return error instanceof Error ? error.message : String(error)
}
