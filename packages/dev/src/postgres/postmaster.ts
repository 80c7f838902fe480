/** Starts a PostgreSQL server process on a cluster, and finds, checks and stops one that is already there. */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { open, readFile, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { DevSetupError } from '../dev-setup-error.ts'
import { errorCode } from '../error-code.ts'
import {
  awaitExit,
  findCommandLine,
  holdsPid,
  identifyProcess,
  isAlive,
  type ProcessIdentity,
  sendSignal,
} from '../process-watch.ts'
import { replaceFile } from '../replace-file.ts'
import type { Account } from './postgres-account.ts'
import type { PostgresBinaries } from './postgres-binaries.ts'

export interface Postmaster {
  readonly process: ProcessIdentity
  readonly port: number
}

export type LaunchOutcome =
  | { readonly type: 'ready'; readonly postmaster: Postmaster }
  | { readonly type: 'port_taken' }
  /** Processes of a killed server have not all ended yet. */
  | { readonly type: 'still_in_use' }
  | { readonly type: 'failed'; readonly output: string }

export const POSTGRES_ENV: Readonly<Record<string, string>> = {
  PATH: process.env.PATH ?? '/usr/bin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
  ...(process.env.SYSTEMROOT === undefined ? {} : { SYSTEMROOT: process.env.SYSTEMROOT }),
}

const POLL_MS = 10
/** Long, since recovery after a crash replays what was written since the last checkpoint. */
const READY_TIMEOUT_MS = 120_000
const FAST_STOP_TIMEOUT_MS = 20_000
const IMMEDIATE_STOP_TIMEOUT_MS = 10_000
const LOG_LIMIT_BYTES = 16 * 1024 * 1024
/** Above every system's highest process id, so it is never alive. */
const NO_SUCH_PID = 99_999_999

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '128MB',
  fsync: 'on',
  logging_collector: 'off',
  log_timezone: 'UTC',
  timezone: 'UTC',
}

/** Every commit is still written before it is answered, so a killed server loses none. */
const UNFLUSHED = { fsync: 'off', full_page_writes: 'off' }

export async function launchPostmaster(options: {
  readonly binaries: PostgresBinaries
  readonly account: Account | null
  readonly clusterDir: string
  readonly port: number
  readonly logFile: string
  /** For tests: nothing is flushed to disk, so only the end of the machine can lose a commit. */
  readonly fast?: boolean
}): Promise<LaunchOutcome> {
  const { clusterDir, port, logFile } = options
  const logStart = await trimLog(logFile)
  const settings = Object.entries({ ...SETTINGS, ...(options.fast && UNFLUSHED) }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  // A file, not a pipe: a server that outlives this process must still have somewhere to write.
  const log = openSync(logFile, 'a', 0o600)
  // Its own session: Ctrl-C in a terminal reaches Drover alone, which stops PostgreSQL after its own work is saved.
  const child = spawn(options.binaries.postgres, ['-D', clusterDir, '-p', String(port), ...settings], {
    ...options.account,
    cwd: clusterDir,
    env: POSTGRES_ENV,
    stdio: ['ignore', log, log],
    detached: true,
    windowsHide: true,
  })
  closeSync(log)
  const end = awaitEnd(child)
  child.unref()
  const readiness = await Promise.race([awaitReady(clusterDir, child), end.then((problem) => ({ problem }))])
  if (readiness === 'ready' && child.pid !== undefined)
    return { type: 'ready', postmaster: { process: identifyProcess(child.pid), port } }
  if (readiness === 'timeout' && child.pid !== undefined) {
    await stopPostmaster(identifyProcess(child.pid))
    return { type: 'failed', output: `not ready after ${READY_TIMEOUT_MS / 1000} s` }
  }
  const output = await readLogFrom(logFile, logStart)
  if (/could not bind|could not create any TCP\/IP sockets/.test(output)) return { type: 'port_taken' }
  if (/pre-existing shared memory block|lock file "postmaster.pid" already exists/.test(output)) {
    return { type: 'still_in_use' }
  }
  const problem = typeof readiness === 'object' ? readiness.problem : ''
  return { type: 'failed', output: `${problem}\n${output}`.trim() }
}

function awaitEnd(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => resolve(`exit ${code ?? signal}`))
  })
}

/** The pid file says when connections are accepted; PostgreSQL's own pg_ctl waits in the same way. */
async function awaitReady(clusterDir: string, child: ChildProcess): Promise<'ready' | 'timeout' | 'ended'> {
  const deadline = performance.now() + READY_TIMEOUT_MS
  while (performance.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return 'ended'
    const file = await readPidFile(clusterDir)
    if (file?.pid === child.pid && file.status === 'ready') return 'ready'
    await delay(POLL_MS)
  }
  return 'timeout'
}

/**
 * The server already running on this cluster, ready to be used, or null. A server that outlived the Drover that
 * started it is found here; one that is on its way up or down is waited for.
 */
export async function findPostmaster(clusterDir: string): Promise<Postmaster | null> {
  const deadline = performance.now() + READY_TIMEOUT_MS
  for (;;) {
    const file = await readPidFile(clusterDir)
    if (file === null) return null
    if (!isAlive(file.pid) || !isPostmasterOf(file.pid, clusterDir)) {
      if (holdsPid(file.pid)) await disownPidFile(clusterDir)
      return null
    }
    if (file.status === 'ready') return { process: identifyProcess(file.pid), port: file.port }
    if (performance.now() > deadline) {
      throw new DevSetupError(
        `PostgreSQL (process ${file.pid}) has been ${file.status} for too long: end it and retry.`,
      )
    }
    await delay(POLL_MS)
  }
}

/** SIGINT ends sessions and writes a checkpoint; if that hangs SIGQUIT ends at once, and the next start recovers. */
export async function stopPostmaster(server: ProcessIdentity): Promise<void> {
  if (!sendSignal(server, 'SIGINT') || (await awaitExit(server.pid, FAST_STOP_TIMEOUT_MS))) return
  if (!sendSignal(server, 'SIGQUIT') || (await awaitExit(server.pid, IMMEDIATE_STOP_TIMEOUT_MS))) return
  throw new DevSetupError(`PostgreSQL (process ${server.pid}) does not stop: end it by hand.`)
}

function isPostmasterOf(pid: number, clusterDir: string): boolean {
  const command = findCommandLine(pid)
  return command === null || (command.includes('postgres') && command.includes(clusterDir))
}

/**
 * A pid file whose number now belongs to a stranger, or to a dead process nobody collected, would keep PostgreSQL from
 * starting. Deleting the file would also delete the shared memory key by which PostgreSQL makes sure that no process of
 * the old server still writes to the cluster, so only the number is replaced.
 */
async function disownPidFile(clusterDir: string): Promise<void> {
  const file = join(clusterDir, 'postmaster.pid')
  const owner = await stat(file)
  const [, ...rest] = (await readFile(file, 'utf8')).split('\n')
  await replaceFile(file, [String(NO_SUCH_PID), ...rest].join('\n'))
  if (process.getuid?.() === 0) {
    const handle = await open(file, 'r')
    await handle.chown(owner.uid, owner.gid).finally(() => handle.close())
  }
}

async function readPidFile(clusterDir: string): Promise<{ pid: number; port: number; status: string } | null> {
  let text: string
  try {
    text = await readFile(join(clusterDir, 'postmaster.pid'), 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  }
  const lines = text.split('\n')
  const pid = Number(lines[0])
  if (!Number.isInteger(pid) || pid <= 0) return null
  return { pid, port: Number(lines[3]), status: lines[7]?.trim() ?? '' }
}

/** Returns where new output will begin. */
async function trimLog(logFile: string): Promise<number> {
  const size = await stat(logFile).then(
    (found) => found.size,
    () => 0,
  )
  if (size <= LOG_LIMIT_BYTES) return size
  await truncate(logFile, 0)
  return 0
}

async function readLogFrom(logFile: string, offset: number): Promise<string> {
  return (await readFile(logFile)).subarray(offset).toString('utf8')
}
