/**
 * PostgreSQL as many teams run it: two servers under Patroni, one etcd to agree in, and HAProxy in front, which sends
 * everybody to whichever server Patroni calls the primary. docs/operations.md shows the same files.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { findFreePort } from '../../../packages/dev/src/free-port.ts'
import { type Account, chooseAccount, giveTo } from '../../../packages/dev/src/postgres/postgres-account.ts'
import { eventually } from '../eventually.ts'
import { createTcpRelay, type TcpRelay } from '../tcp-relay.ts'
import { composeHaproxy, composePatroni, type MemberPlan } from './patroni-files.ts'

export interface PatroniSet {
  /** The primary, whichever server that is, through HAProxy. */
  url(database: string): string
  /** One server itself, for a look past HAProxy. */
  memberUrl(name: string, database: string): string
  primary(): Promise<string>
  /** Moves the primary to the other server as an operator does; `settled` resolves once the old one follows it. */
  switchover(): Promise<{ readonly settled: Promise<void> }>
  /** `kill -9` of the primary and its Patroni; resolves with its name when the other server is the primary. */
  failover(): Promise<string>
  /** Starts a killed server again; resolves once it follows the primary, in sync if the set is synchronous. */
  rejoin(name: string): Promise<void>
  /** From here on, the standby gets nothing from the primary; without synchronous mode nobody waits for it. */
  cutReplication(): void
  mendReplication(): void
  query<Row>(name: string, sql: string): Promise<readonly Row[]>
  log(): Promise<string>
  stop(): Promise<void>
}

export interface PatroniOptions {
  readonly synchronous: boolean
}

interface Member extends MemberPlan {
  /** What the other server connects through. */
  readonly cable: TcpRelay
  patroni: ChildProcess | null
}

/** Followed by the id of the process that started the set. */
const FOLDER_PREFIX = 'drover-patroni-'
/** Short, so that a test need not wait; DROVER_PATRONI_DEFAULTS=1 takes those of Patroni. */
const TIMES =
  process.env.DROVER_PATRONI_DEFAULTS === '1'
    ? { ttl: 30, loop_wait: 10, retry_timeout: 10 }
    : { ttl: 8, loop_wait: 1, retry_timeout: 3 }
const POSTGRES_ROOT = '/usr/lib/postgresql'
const SUPERUSER = 'drover'

/** What is missing on this machine; null if a set can be started. */
export function findPatroniMissing(): string | null {
  const missing = ['etcd', 'patroni', 'patronictl', 'haproxy'].filter(
    (name) => spawnSync(name, ['--help'], { stdio: 'ignore' }).error !== undefined,
  )
  if (findBinaries() === null) missing.push(`${POSTGRES_ROOT}/*/bin/pg_rewind`)
  return missing.length === 0 ? null : `${missing.join(', ')} not installed`
}

/** The newest PostgreSQL of the system: Patroni needs `pg_basebackup` and `pg_rewind`, which npm's does not have. */
function findBinaries(): string | null {
  const versions = readFolder(POSTGRES_ROOT).filter((name) => /^\d+$/.test(name))
  const newestFirst = versions.sort((a, b) => Number(b) - Number(a)).map((name) => join(POSTGRES_ROOT, name, 'bin'))
  return newestFirst.find((folder) => readFolder(folder).includes('pg_rewind')) ?? null
}

function readFolder(path: string): readonly string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

const LIVE = new Set<ChildProcess>()
const FOLDERS = new Set<string>()
process.on('exit', () => {
  for (const folder of FOLDERS) killAllOf(folder)
})

export async function startPatroniSet({ synchronous }: PatroniOptions): Promise<PatroniSet> {
  const binaries = findBinaries()
  if (binaries === null) throw new Error(`there is no PostgreSQL in ${POSTGRES_ROOT}`)
  await removeLeftovers()
  const folder = await mkdtemp(join(tmpdir(), `${FOLDER_PREFIX}${process.pid}-`))
  FOLDERS.add(folder)
  await chmod(folder, 0o711)
  const account = await chooseAccount(folder)
  const logFile = join(folder, 'set.log')
  const log = openSync(logFile, 'a')
  const children: ChildProcess[] = []

  const launch = (command: string, args: readonly string[], as: Account | null): ChildProcess => {
    const env = { PATH: `${process.env.PATH}:/usr/sbin`, HOME: folder, LC_ALL: 'C.UTF-8' }
    const stdio = ['ignore', log, log] as const
    const child = spawn(command, args, { ...as, cwd: '/', env, stdio: [...stdio] })
    LIVE.add(child)
    child.once('exit', () => LIVE.delete(child))
    children.push(child)
    return child
  }

  const etcdPort = await findFreePort()
  const etcdData = join(folder, 'etcd')
  await mkdir(etcdData, { mode: 0o700 })
  await giveTo(account, etcdData)
  const etcdUrl = `http://127.0.0.1:${etcdPort}`
  const peerUrl = `http://127.0.0.1:${await findFreePort()}`
  launch(
    'etcd',
    [
      ...['--name', 'etcd', '--data-dir', etcdData, '--logger', 'zap', '--log-level', 'error'],
      ...['--listen-client-urls', etcdUrl, '--advertise-client-urls', etcdUrl],
      ...['--listen-peer-urls', peerUrl, '--initial-advertise-peer-urls', peerUrl],
      ...['--initial-cluster', `etcd=${peerUrl}`],
    ],
    account,
  )

  const members = new Map<string, Member>()
  for (const name of ['one', 'two']) {
    const home = join(folder, name)
    await mkdir(home, { mode: 0o700 })
    await giveTo(account, home)
    const port = await findFreePort()
    const cable = await createTcpRelay({ host: '127.0.0.1', port })
    await cable.open()
    const plan = { name, home, port, peerPort: cable.port, restPort: await findFreePort() }
    const file = join(folder, `${name}.yml`)
    const settings = { synchronous, times: TIMES, etcdPort, binaries, superuser: SUPERUSER }
    await writeFile(file, composePatroni(plan, settings))
    members.set(name, { ...plan, cable, patroni: null })
  }
  const haproxyPort = await findFreePort()
  const haproxyFile = join(folder, 'haproxy.cfg')
  await writeFile(haproxyFile, composeHaproxy(haproxyPort, [...members.values()]))
  launch('haproxy', ['-db', '-f', haproxyFile], null)

  const memberOf = (name: string): Member => {
    const member = members.get(name)
    if (member === undefined) throw new Error(`there is no server ${name}`)
    return member
  }
  const urlAt = (port: number, database: string) => `postgres://${SUPERUSER}@127.0.0.1:${port}/${database}`
  const memberUrl = (name: string, database: string) => urlAt(memberOf(name).port, database)
  const readLog = async () => (await readFile(logFile, 'utf8')).split('\n').slice(-60).join('\n')

  function startMember(name: string): void {
    memberOf(name).patroni = launch('patroni', [join(folder, `${name}.yml`)], account)
  }

  /** What Patroni's REST API answers; 0: nothing. */
  async function ask(name: string, path: string): Promise<number> {
    const answer = await fetch(`http://127.0.0.1:${memberOf(name).restPort}/${path}`).catch(() => null)
    return answer?.status ?? 0
  }

  async function findWhere(path: string): Promise<string | null> {
    for (const name of members.keys()) if ((await ask(name, path)) === 200) return name
    return null
  }

  const explain = (what: string) => async (error: unknown) => {
    throw new Error(`${what}:\n${await readLog()}`, { cause: error })
  }

  async function untilPrimary(isGood: (name: string) => boolean): Promise<string> {
    const found = await eventually(
      () => findWhere('primary'),
      (name) => name !== null && isGood(name),
    ).catch(explain('no primary'))
    if (found === null) throw new Error('no primary')
    // Patroni calls it the primary as soon as it begins to promote it.
    const isStandby = () =>
      query<{ is: boolean }>(found, 'select pg_is_in_recovery() as is').then(
        ([row]) => row?.is ?? true,
        () => true,
      )
    await eventually(isStandby, (is) => !is).catch(explain(`${found} is not promoted`))
    return found
  }

  async function query<Row>(name: string, sql: string): Promise<readonly Row[]> {
    const client = new Client({ connectionString: memberUrl(name, 'postgres'), connectionTimeoutMillis: 5_000 })
    client.on('error', () => {})
    await client.connect()
    try {
      return (await client.query(sql)).rows as Row[]
    } finally {
      await client.end()
    }
  }

  /** Asks Patroni and PostgreSQL: HAProxy and a switchover go by Patroni, commits by PostgreSQL. */
  async function untilFollowing(name: string): Promise<void> {
    const path = synchronous ? 'synchronous' : 'replica'
    await eventually(
      () => ask(name, path),
      (status) => status === 200,
    ).catch(explain(`${name} does not follow`))
    const primary = await untilPrimary((found) => found !== name)
    await eventually(
      () => query<{ sync_state: string }>(primary, `select sync_state from pg_stat_replication`),
      (rows) => rows.some(({ sync_state }) => !synchronous || sync_state === 'sync'),
    ).catch(explain(`${name} does not follow`))
  }

  const set: PatroniSet = {
    url: (database) => urlAt(haproxyPort, database),
    memberUrl,
    primary: () => untilPrimary(() => true),
    cutReplication: () => {
      for (const { cable } of members.values()) cable.hang()
    },
    mendReplication: () => {
      for (const { cable } of members.values()) cable.resume()
    },
    query,
    log: readLog,
    async switchover() {
      const from = await untilPrimary(() => true)
      const to = [...members.keys()].find((name) => name !== from) ?? ''
      const args = ['-c', join(folder, `${from}.yml`), 'switchover', '--force', '--master', from, '--candidate', to]
      const child = spawn('patronictl', args, { cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] })
      let said = ''
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => {
          said += chunk.toString()
        })
      const [code] = await once(child, 'close')
      if (code !== 0 || !said.includes('Successfully switched over')) throw new Error(`patronictl: ${said}`)
      await untilPrimary((name) => name === to)
      return { settled: untilFollowing(from) }
    },
    async failover() {
      const name = await untilPrimary(() => true)
      const { home, patroni } = memberOf(name)
      const [pid] = (await readFile(join(home, 'data', 'postmaster.pid'), 'utf8')).split('\n')
      // Patroni first, or it would start the server again.
      const ended = patroni === null ? null : once(patroni, 'exit')
      patroni?.kill('SIGKILL')
      process.kill(Number(pid), 'SIGKILL')
      await ended
      await untilPrimary((found) => found !== name)
      return name
    },
    async rejoin(name) {
      startMember(name)
      await untilFollowing(name)
    },
    async stop() {
      const ended = [...LIVE].filter((child) => children.includes(child)).map((child) => once(child, 'exit'))
      killAllOf(folder)
      await Promise.all(ended)
      for (const { cable } of members.values()) await cable.close()
      closeSync(log)
      await rm(folder, { recursive: true, force: true })
    },
  }

  try {
    startMember('one')
    const first = await untilPrimary(() => true)
    startMember('two')
    await untilFollowing('two')
    await eventually(
      () => query(first, 'select 1').then(Boolean, () => false),
      (works) => works,
    )
    return set
  } catch (error) {
    const said = await readLog()
    await set.stop()
    throw new Error(`the Patroni set did not start:\n${said}`, { cause: error })
  }
}

/** A run that was killed leaves its sets running. */
async function removeLeftovers(): Promise<void> {
  for (const name of readFolder(tmpdir()).filter((each) => each.startsWith(FOLDER_PREFIX))) {
    const owner = name.slice(FOLDER_PREFIX.length).split('-')[0]
    if (readFolder('/proc').includes(owner ?? '')) continue
    killAllOf(join(tmpdir(), name))
    await rm(join(tmpdir(), name), { recursive: true, force: true })
  }
}

/** Patroni gives each server a session of its own, so servers are found by their folder. */
function killAllOf(folder: string): void {
  for (const id of readFolder('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const command = readFileSync(`/proc/${id}/cmdline`, 'utf8')
      if (command.includes(`${folder}/`)) process.kill(Number(id), 'SIGKILL')
    } catch (error) {
      // It ended meanwhile.
      if (!['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    }
  }
}
