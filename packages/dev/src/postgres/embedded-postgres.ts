/**
 * Runs a PostgreSQL server for `drover dev` and for tests, from the programs npm installed.
 *
 * The server is a process of its own that may outlive ours: if Drover is killed, PostgreSQL keeps running, and the next
 * start on the same data dir adopts it. If PostgreSQL is killed, the next start recovers what was committed (fsync is
 * on). A cluster is made in a folder with another name and renamed when it is whole, so an interrupted start leaves
 * nothing that a later one could mistake for data. The server listens on the loopback address only and wants a
 * password, random and kept in the data dir, since other users of the machine can reach the loopback address too.
 * `postgres-home.ts` says where things lie, and what is different for root.
 */
import { spawn } from 'node:child_process'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { DevSetupError } from '../dev-setup-error.ts'
import { errorCode } from '../error-code.ts'
import { tryLock } from '../exclusive-lock.ts'
import { findFreePort, isPortFree } from '../free-port.ts'
import { watchExit } from '../process-watch.ts'
import { type Account, chooseAccount, giveTo } from './postgres-account.ts'
import {
  findPostgresPackage,
  type PostgresBinaries,
  type PostgresPackage,
  preparePostgresBinaries,
} from './postgres-binaries.ts'
import { type ClusterRecord, clusterDirOf, createRecord, findRecord, makeDataDir, saveRecord } from './postgres-home.ts'
import { findPostmaster, launchPostmaster, POSTGRES_ENV, type Postmaster, stopPostmaster } from './postmaster.ts'

export interface EmbeddedPostgresOptions {
  readonly dataDir: string
  /** Absent or 0: the port of the last start if it is free, else any free one. */
  readonly port?: number
  /** For tests: nothing is flushed to disk. Commits survive the end of any process, but not of the machine. */
  readonly fast?: boolean
  readonly log?: (message: string) => void
  /** Only for testing this module: programs from elsewhere than `node_modules`. */
  readonly package?: PostgresPackage
}

export interface EmbeddedPostgres {
  readonly databaseUrl: string
  readonly port: number
  readonly pid: number
  /** True when the server was already running, left over from a Drover that was killed. */
  readonly adopted: boolean
  /** Resolves when the server has ended, for any reason. */
  readonly exited: Promise<void>
  stop(): Promise<void>
}

const USER = 'drover'
const DATABASE = 'drover'
const EXIT_POLL_MS = 250
const PORT_TRIES = 5
const OLD_PROCESSES_TIMEOUT_MS = 15_000
const OLD_PROCESSES_POLL_MS = 50
const UNKNOWN_DATABASE = '3D000'
const DUPLICATE_DATABASE = '42P04'

export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = await makeDataDir(options.dataDir)
  const release = await lockDataDir(dataDir)
  try {
    const account = await chooseAccount(dataDir)
    const record = (await findRecord(dataDir)) ?? (await createRecord(dataDir, account))
    const adopted = await adoptPostmaster(record, options)
    const postmaster = adopted ?? (await startPostmaster(dataDir, record, account, options))
    await ensureDatabase(record, postmaster.port)
    if (record.port !== postmaster.port) await saveRecord(dataDir, { ...record, port: postmaster.port })
    let stopping: Promise<void> | null = null
    return {
      databaseUrl: urlOf(record, postmaster.port, DATABASE),
      port: postmaster.port,
      pid: postmaster.process.pid,
      adopted: adopted !== null,
      exited: watchExit(postmaster.process.pid, EXIT_POLL_MS),
      stop: () => {
        stopping ??= stopPostmaster(postmaster.process).finally(release)
        return stopping
      },
    }
  } catch (error) {
    await release()
    throw error
  }
}

/** Stops the server of a data dir, if one runs, and deletes its data. Fails if a living process uses it. */
export async function removeEmbeddedPostgres(dataDir: string): Promise<void> {
  const path = await makeDataDir(dataDir)
  await lockDataDir(path)
  const record = await findRecord(path)
  if (record !== null) {
    const running = await findPostmaster(clusterDirOf(record))
    if (running !== null) await stopPostmaster(running.process)
    if (record.home !== path) await rm(record.home, { recursive: true, force: true })
  }
  await rm(path, { recursive: true, force: true })
}

async function lockDataDir(dataDir: string): Promise<() => Promise<void>> {
  const attempt = await tryLock(join(dataDir, 'postgres.lock'))
  if (attempt.type === 'acquired') return attempt.release
  const advice = 'stop it, or choose another data folder'
  throw new DevSetupError(`The data folder ${dataDir} is in use by process ${attempt.pid}: ${advice}.`)
}

async function adoptPostmaster(record: ClusterRecord, options: EmbeddedPostgresOptions): Promise<Postmaster | null> {
  const running = await findPostmaster(clusterDirOf(record))
  if (running === null) return null
  const wantsOtherPort = (options.port ?? 0) !== 0 && options.port !== running.port
  if (!wantsOtherPort && (await servesCluster(record, running.port))) {
    options.log?.(`using the PostgreSQL that was left running (process ${running.process.pid}, port ${running.port})`)
    return running
  }
  await stopPostmaster(running.process)
  return null
}

async function servesCluster(record: ClusterRecord, port: number): Promise<boolean> {
  const rows = await runQuery(record, port, 'postgres', 'show data_directory')
  return rows[0]?.data_directory === clusterDirOf(record)
}

async function startPostmaster(
  dataDir: string,
  record: ClusterRecord,
  account: Account | null,
  options: EmbeddedPostgresOptions,
): Promise<Postmaster> {
  const found = options.package ?? (await findPostgresPackage())
  const binaries = await preparePostgresBinaries(found, record.home, account)
  await ensureCluster(record, binaries, account, options)
  const clusterDir = clusterDirOf(record)
  const logFile = join(dataDir, 'postgres.log')
  const deadline = performance.now() + OLD_PROCESSES_TIMEOUT_MS
  let portsTaken = 0
  for (;;) {
    const port = await choosePort(options.port ?? 0, portsTaken === 0 ? record.port : null)
    const outcome = await launchPostmaster({
      binaries,
      account,
      clusterDir,
      port,
      logFile,
      fast: options.fast ?? false,
    })
    if (outcome.type === 'ready') return outcome.postmaster
    if (outcome.type === 'port_taken' && portsTaken < PORT_TRIES) portsTaken += 1
    else if (outcome.type === 'still_in_use' && performance.now() < deadline) await delay(OLD_PROCESSES_POLL_MS)
    else throw startFailure(outcome.type === 'failed' ? outcome.output : outcome.type, logFile)
  }
}

function startFailure(output: string, logFile: string): DevSetupError {
  const advice = `see ${logFile}, or set DROVER_DATABASE_URL to a PostgreSQL server of your own`
  return new DevSetupError(`The embedded PostgreSQL did not start: ${lastLines(output)}\n${advice}.`)
}

async function choosePort(wanted: number, last: number | null): Promise<number> {
  if (wanted !== 0) {
    if (await isPortFree(wanted)) return wanted
    throw new DevSetupError(`Port ${wanted} for PostgreSQL is taken: stop what listens there or choose another port.`)
  }
  return last !== null && (await isPortFree(last)) ? last : findFreePort()
}

async function ensureCluster(
  record: ClusterRecord,
  binaries: PostgresBinaries,
  account: Account | null,
  options: EmbeddedPostgresOptions,
): Promise<void> {
  const version = await findClusterVersion(clusterDirOf(record))
  if (version === null) {
    options.log?.('making a new PostgreSQL cluster')
    await initialiseCluster(record, binaries, account, options.fast ?? false)
  } else if (version !== binaries.majorVersion) {
    const made = `The data in ${record.home} was made by PostgreSQL ${version}, this is ${binaries.majorVersion}`
    throw new DevSetupError(`${made}: use the Drover version that made it, or choose another data folder.`)
  }
}

async function findClusterVersion(clusterDir: string): Promise<string | null> {
  try {
    return (await readFile(join(clusterDir, 'PG_VERSION'), 'utf8')).trim()
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT') return null
    if (code !== 'EACCES') throw error
    const advice = 'run as the user who made it or choose another data folder'
    throw new DevSetupError(`The cluster in ${clusterDir} belongs to another user: ${advice}.`, { cause: error })
  }
}

async function initialiseCluster(
  record: ClusterRecord,
  binaries: PostgresBinaries,
  account: Account | null,
  fast: boolean,
): Promise<void> {
  const draft = join(record.home, 'cluster.unfinished')
  const passwordFile = join(record.home, 'password.tmp')
  await rm(draft, { recursive: true, force: true })
  await rm(passwordFile, { force: true })
  await mkdir(draft, { mode: 0o700 })
  await giveTo(account, draft)
  await writeFile(passwordFile, record.password, { mode: 0o600, flag: 'wx' })
  await giveTo(account, passwordFile)
  const locale = ['--encoding=UTF8', '--locale-provider=builtin', '--locale=C', '--builtin-locale=C.UTF-8']
  const login = ['--auth=scram-sha-256', `--username=${USER}`, `--pwfile=${passwordFile}`]
  try {
    await runProgram(binaries.initdb, ['-D', draft, ...locale, ...login, ...(fast ? ['--no-sync'] : [])], account)
  } finally {
    await rm(passwordFile, { force: true })
  }
  await rename(draft, clusterDirOf(record))
}

async function runProgram(program: string, args: readonly string[], account: Account | null): Promise<void> {
  const child = spawn(program, args, { ...account, cwd: '/', env: POSTGRES_ENV, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  const result = await new Promise<string | null>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => resolve(code === 0 ? null : `exit ${code ?? signal}`))
  })
  if (result === null) return
  const advice = 'put that right, or set DROVER_DATABASE_URL to a PostgreSQL server of your own'
  throw new DevSetupError(`PostgreSQL's initdb failed (${result}): ${lastLines(output)}\n${advice}.`)
}

async function ensureDatabase(record: ClusterRecord, port: number): Promise<void> {
  try {
    await runQuery(record, port, DATABASE, 'select 1')
  } catch (error) {
    if (errorCode(error) !== UNKNOWN_DATABASE) throw error
    await runQuery(record, port, 'postgres', `create database ${DATABASE}`).catch((problem: unknown) => {
      if (errorCode(problem) !== DUPLICATE_DATABASE) throw problem
    })
  }
}

async function runQuery(
  record: ClusterRecord,
  port: number,
  database: string,
  sql: string,
): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: urlOf(record, port, database), connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}

function urlOf(record: ClusterRecord, port: number, database: string): string {
  return `postgres://${USER}:${record.password}@127.0.0.1:${port}/${database}`
}

function lastLines(output: string): string {
  return output.trim().split('\n').slice(-12).join('\n')
}
