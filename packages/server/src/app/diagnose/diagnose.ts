/**
 * Checks everything that the service needs, from where it would run, and names the fix for each problem. It changes
 * nothing, and one problem does not prevent the other checks.
 */
import type { KeyConfig } from '../../config/key-config.ts'
import { listSendUrls } from '../../config/values/send-urls.ts'
import { JAVASCRIPT_CURVE } from '../../signer/curve.ts'
import { describeKit, openSigningKit, type SigningKit } from '../../signer/signing-kit.ts'
import { DatabaseUnreachable, LATEST_SCHEMA_VERSION } from '../../store/postgres/migrate.ts'
import { findSessionFix } from '../../store/postgres/pooled-session.ts'
import { type DatabaseProbe, probeDatabase } from '../../store/postgres/probe-database.ts'
import { sessionTimeouts } from '../session-timeouts.ts'
import { diagnoseArchive } from './diagnose-archive.ts'
import { diagnoseKeys } from './diagnose-keys.ts'
import { type ChainSubject, diagnoseNode } from './diagnose-node.ts'
import { diagnoseRules } from './diagnose-rules.ts'
import { diagnoseSender } from './diagnose-sender.ts'
import { type Finding, failed, ok, warn } from './finding.ts'

export interface Subject {
  /** Null if the settings do not say. */
  readonly databaseUrl: string | null
  /** Null: statements go to the database itself. */
  readonly poolerUrl: string | null
  readonly leaseDurationMs: number
  readonly keepUntilArchived: boolean
  readonly chains: readonly ChainSubject[]
  /** Null if they are set wrong. */
  readonly keys: KeyConfig | null
  /** For a trial, keys in the environment are fine. */
  readonly isTrial: boolean
}

const OLDEST_POSTGRES = 140_000
const MAX_SKEW_MS = 1_000

export async function diagnose(subject: Subject): Promise<readonly Finding[]> {
  const kit = await openSigningKit()
  const { databaseUrl, keys } = subject
  const chainId = subject.chains[0]?.chainId ?? 1
  const { findings, addresses } =
    keys === null
      ? { findings: [], addresses: [] }
      : await diagnoseKeys({ keys, databaseUrl, chainId, isTrial: subject.isTrial }, kit)
  const parts = await Promise.all([
    diagnoseStorage(subject),
    ...subject.chains.flatMap((chain) => chain.rpcUrls.map((url) => diagnoseNode(url, chain, addresses))),
    ...subject.chains.flatMap((chain) =>
      listSendUrls(chain.sendUrls).map((url) => diagnoseSender(url, chain, addresses)),
    ),
  ])
  const signing = addresses.length === 0 ? [] : [diagnoseSigning(kit)]
  return [...(parts[0] ?? []), ...findings, ...signing, ...parts.slice(1).flat()]
}

function diagnoseSigning(kit: SigningKit): Finding {
  return kit.curve === JAVASCRIPT_CURVE
    ? warn(
        'signing',
        describeKit(kit),
        'use a platform with a native build or WebAssembly: signing is 10 times faster there',
      )
    : ok('signing', describeKit(kit))
}

async function diagnoseDatabase(url: string, keepUntilArchived: boolean): Promise<readonly Finding[]> {
  const { host, pathname } = new URL(url)
  try {
    const probe = await probeDatabase(url)
    const isCurrent = probe.schemaVersion === LATEST_SCHEMA_VERSION
    return [
      ...judgeDatabase(probe, `${host}${pathname}`),
      ...(isCurrent ? await diagnoseRules(url) : []),
      ...(isCurrent && keepUntilArchived ? [await diagnoseArchive(url)] : []),
    ]
  } catch (error) {
    const said = messageOf(error)
    return [failed('database', `${host}${pathname} cannot be used: ${said}`, 'start it, or fix DROVER_DATABASE_URL')]
  }
}

async function diagnoseStorage(subject: Subject): Promise<readonly Finding[]> {
  const { databaseUrl, poolerUrl, leaseDurationMs, keepUntilArchived } = subject
  const found = await Promise.all([
    databaseUrl === null ? [] : diagnoseDatabase(databaseUrl, keepUntilArchived),
    poolerUrl === null ? [] : diagnosePooler(poolerUrl, leaseDurationMs),
  ])
  return found.flat()
}

async function diagnosePooler(url: string, leaseDurationMs: number): Promise<readonly Finding[]> {
  const { host } = new URL(url)
  try {
    const fix = await findSessionFix(url, sessionTimeouts(leaseDurationMs))
    if (fix === null) return [ok('pooler', `${host}, and the role has the settings that Drover needs`)]
    return [failed('pooler', `${host}: the role lacks settings that Drover needs`, `run this in PostgreSQL: ${fix}`)]
  } catch (error) {
    const said = error instanceof DatabaseUnreachable ? messageOf(error.cause) : messageOf(error)
    return [failed('pooler', `${host} cannot be used: ${said}`, 'start it, or fix DROVER_DATABASE_POOLER_URL')]
  }
}

function judgeDatabase(probe: DatabaseProbe, place: string): readonly Finding[] {
  const { serverVersion, schemaVersion, clockSkewMs, clockErrorMs } = probe
  const version = `PostgreSQL ${Math.floor(serverVersion / 10_000)}.${serverVersion % 10_000}`
  const isOff = Math.abs(clockSkewMs) - clockErrorMs > MAX_SKEW_MS
  return [
    serverVersion < OLDEST_POSTGRES
      ? failed('database', `${version} at ${place} is too old`, 'use PostgreSQL 14 or later')
      : ok('database', `${version} at ${place}`),
    judgeSchema(schemaVersion, probe.mayCreate),
    isOff
      ? warn(
          'clock',
          `the database is ${clockSkewMs} ms ahead of this machine`,
          'sync both clocks with NTP; Drover itself uses the clock of the database',
        )
      : ok('clock', `within ${Math.abs(clockSkewMs) + clockErrorMs} ms of the database`),
  ]
}

function judgeSchema(found: number | null, mayCreate: boolean): Finding {
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

function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return messageOf(error.errors[0])
  return error instanceof Error ? error.message : String(error)
}
