/** One PostgreSQL server of the storm, with its own process and folder, which can be killed, filled up and copied. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { findFreePort } from '../../packages/dev/src/free-port.ts'
import { type Account, giveTo } from '../../packages/dev/src/postgres/postgres-account.ts'
import type { PostgresBinaries } from '../../packages/dev/src/postgres/postgres-binaries.ts'
import { POSTGRES_ENV } from '../../packages/dev/src/postgres/postmaster.ts'
import { mountSmallDisk, type SmallDisk } from './small-disk.ts'

export interface ServerGround {
  readonly folder: string
  readonly binaries: PostgresBinaries
  readonly account: Account | null
}

export interface DatabaseServer {
  readonly port: number
  readonly dataDir: string
  /** Null if this machine has none. */
  readonly disk: SmallDisk | null
  url(database: string): string
  launch(): Promise<void>
  isRunning(): boolean
  kill(): Promise<void>
  query<Row>(sql: string, database?: string): Promise<readonly Row[]>
  log(): Promise<string>
  remove(): Promise<void>
}

export const USER = 'drover'
export const DATABASE = 'drover'
const DISK_MB = 1_536
const READY_TIMEOUT_MS = 120_000

/** Commits are written before they are answered, but not flushed: only a machine crash would lose them. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: 200,
  fsync: 'off',
  wal_keep_size: '256MB',
  max_wal_size: '256MB',
  wal_sender_timeout: '20s',
  logging_collector: 'off',
  restart_after_crash: 'on',
}

const LIVE = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of LIVE) child.kill('SIGKILL')
})

export async function createServer(name: string, ground: ServerGround): Promise<DatabaseServer> {
  const { binaries, account } = ground
  const home = join(ground.folder, name)
  await mkdir(home)
  const disk = mountSmallDisk(home, DISK_MB)
  await chmod(home, 0o711)
  const dataDir = join(home, 'data')
  const logFile = join(ground.folder, `${name}.log`)
  await mkdir(dataDir, { mode: 0o700 })
  await giveTo(account, dataDir)
  const port = await findFreePort()
  let child: ChildProcess | null = null

  const url = (database: string) => `postgres://${USER}@127.0.0.1:${port}/${database}`

  async function query<Row>(sql: string, database = 'postgres'): Promise<readonly Row[]> {
    const client = new Client({ connectionString: url(database), connectionTimeoutMillis: 5_000 })
    client.on('error', () => {})
    await client.connect()
    try {
      return (await client.query(sql)).rows as Row[]
    } finally {
      await client.end()
    }
  }

  const isRunning = () => child !== null && child.exitCode === null && child.signalCode === null

  async function launch(): Promise<void> {
    const settings = Object.entries(SETTINGS).flatMap(([key, value]) => ['-c', `${key}=${value}`])
    const log = openSync(logFile, 'a')
    const started = spawn(binaries.postgres, ['-D', dataDir, '-p', String(port), ...settings], {
      ...account,
      cwd: '/',
      env: POSTGRES_ENV,
      stdio: ['ignore', log, log],
      detached: true,
    })
    closeSync(log)
    child = started
    LIVE.add(started)
    started.once('exit', () => LIVE.delete(started))
    const end = Date.now() + READY_TIMEOUT_MS
    for (;;) {
      if (
        await query('select 1').then(
          () => true,
          () => false,
        )
      )
        return
      if (!isRunning() || Date.now() > end) throw new Error(`${name} did not start:\n${await readLog()}`)
      await delay(50)
    }
  }

  async function kill(): Promise<void> {
    if (child === null || !isRunning()) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }

  const readLog = async () => (await readFile(logFile, 'utf8').catch(() => '')).split('\n').slice(-40).join('\n')

  return {
    port,
    dataDir,
    disk,
    url,
    launch,
    isRunning,
    kill,
    query,
    log: readLog,
    remove: async () => {
      await kill()
      disk?.remove()
      await rm(home, { recursive: true, force: true })
    },
  }
}

/** An empty cluster that accepts all local connections, replication included. */
export function initialise({ dataDir }: DatabaseServer, { binaries, account }: ServerGround): void {
  const locale = ['--encoding=UTF8', '--locale-provider=builtin', '--locale=C', '--builtin-locale=C.UTF-8']
  const args = ['-D', dataDir, '--auth=trust', `--username=${USER}`, '--no-sync', ...locale]
  const { status, stderr } = spawnSync(binaries.initdb, args, { ...account, cwd: '/', env: POSTGRES_ENV })
  if (status !== 0) throw new Error(`initdb failed: ${stderr}`)
}

/**
 * A copy of a server that runs, as `pg_basebackup` makes one, from SQL and files alone: npm's PostgreSQL has no such
 * program. It follows its original from here on.
 */
export async function copyAsStandby(
  from: DatabaseServer,
  to: DatabaseServer,
  { account }: ServerGround,
): Promise<void> {
  const session = new Client({ connectionString: from.url('postgres') })
  await session.connect()
  try {
    await session.query(`select pg_backup_start('storm', true)`)
    const copied = spawnSync(
      'sh',
      [
        '-c',
        'tar -C "$0" --exclude=./postmaster.pid --exclude=./postmaster.opts -cf - . | tar -C "$1" -xf -',
        from.dataDir,
        to.dataDir,
      ],
      { ...account, stdio: ['ignore', 'ignore', 'pipe'] },
    )
    const { rows } = await session.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)')
    // Files that change or disappear during the copy are repaired by replaying the log from the label.
    if (copied.status === null) throw new Error(`the copy failed: ${copied.stderr}`)
    await writeFile(join(to.dataDir, 'backup_label'), rows[0]?.labelfile ?? '')
  } finally {
    await session.end()
  }
  await writeFile(join(to.dataDir, 'standby.signal'), '')
  await writeFile(
    join(to.dataDir, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=127.0.0.1 port=${from.port} user=${USER} application_name=standby'\n`,
  )
  for (const file of ['backup_label', 'standby.signal', 'postgresql.auto.conf'])
    await giveTo(account, join(to.dataDir, file))
}
