import { spawn } from 'node:child_process'
import {
  chmod,
  chown,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startScript } from '../../../../tests/setup/script-process.ts'
import { findFreePort } from '../free-port.ts'
import { awaitExit, isAlive } from '../process-watch.ts'
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  removeEmbeddedPostgres,
  startEmbeddedPostgres,
} from './embedded-postgres.ts'
import { removeAbandonedHomes } from './postgres-abandoned-homes.ts'
import { canAccess } from './postgres-account.ts'
import { findPostgresPackage, type PostgresPackage } from './postgres-binaries.ts'

const MODULE = new URL('./embedded-postgres.ts', import.meta.url)
const NOBODY = { uid: 65_534, gid: 65_534 }
const isRoot = process.getuid?.() === 0
const canRunAsNobody = isRoot && canAccess(NOBODY, [['-r', MODULE.pathname]])

let folder = ''
let dataDir = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drover-embedded-'))
  await chmod(folder, 0o711)
  dataDir = join(folder, 'postgres')
})

afterEach(async () => {
  await removeEmbeddedPostgres(dataDir)
  await rm(folder, { recursive: true, force: true })
})

function start(options: Partial<EmbeddedPostgresOptions> = {}): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({ dataDir, fast: true, ...options })
}

async function query(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

async function writeRows(url: string): Promise<void> {
  await query(url, 'create table kept as select generate_series(1, 1000) as n')
}

async function countRows(url: string): Promise<unknown> {
  return (await query(url, 'select count(*)::int as rows from kept'))[0]?.rows
}

/** A package as npm leaves it where install scripts are off: no links, and here no executable bits either. */
async function copyBarePackage(target: string): Promise<PostgresPackage> {
  const found = await findPostgresPackage()
  const nativeDir = join(target, 'native')
  await cp(found.nativeDir, nativeDir, { recursive: true, verbatimSymlinks: true })
  const links: { target: string }[] = JSON.parse(await readFile(join(nativeDir, 'pg-symlinks.json'), 'utf8'))
  for (const link of links) await rm(join(target, link.target))
  for (const program of ['initdb', 'postgres']) await chmod(join(nativeDir, 'bin', program), 0o644)
  return { nativeDir, version: found.version }
}

/** Starts a cluster from another process, which then waits to be killed. */
function startElsewhere(options: Partial<EmbeddedPostgresOptions>, account = {}) {
  const script = startScript(
    `import { startEmbeddedPostgres } from ${JSON.stringify(MODULE.href)}
     const started = await startEmbeddedPostgres(${JSON.stringify({ dataDir, fast: true, ...options })})
     console.log(JSON.stringify(started))
     setInterval(() => {}, 1000)`,
    account,
  )
  const started = script.nextLine().then((line): { databaseUrl: string; pid: number } => JSON.parse(line))
  return { script, started }
}

describe('a data folder', () => {
  test('keeps its data, port and password over a restart', async () => {
    const first = await start()
    await writeRows(first.databaseUrl)
    await first.stop()
    expect(isAlive(first.pid)).toBe(false)
    // As people start it, and not as tests do.
    const second = await start({ fast: false })
    expect(second.databaseUrl).toBe(first.databaseUrl)
    expect(second.adopted).toBe(false)
    expect(await countRows(second.databaseUrl)).toBe(1000)
    expect(await query(second.databaseUrl, 'show fsync')).toEqual([{ fsync: 'on' }])
    await second.stop()
  })

  test('is used by one process at a time', async () => {
    const first = await start()
    await expect(start()).rejects.toThrow(`is in use by process ${process.pid}`)
    await first.stop()
    const second = await start()
    await second.stop()
  })

  test('needs the password, which only the owner can read', async () => {
    const started = await start()
    const url = new URL(started.databaseUrl)
    url.password = 'wrong'
    await expect(query(url.href, 'select 1')).rejects.toThrow('password authentication failed')
    expect((await stat(join(dataDir, 'postgres.json'))).mode & 0o077).toBe(0)
    await started.stop()
  })

  test('is complete after an interrupted first start', async () => {
    await mkdir(join(dataDir, 'cluster.unfinished', 'base'), { recursive: true })
    await chmod(dataDir, 0o711)
    await writeFile(join(dataDir, 'cluster.unfinished', 'PG_VERSION'), '18\n')
    await writeFile(join(dataDir, 'password.tmp'), 'old')
    const started = await start()
    await writeRows(started.databaseUrl)
    await started.stop()
    expect(await readdir(dataDir)).not.toContain('cluster.unfinished')
    expect(await readdir(dataDir)).not.toContain('password.tmp')
  })
})

describe('ports', () => {
  test('a remembered port that is in use now is replaced; one that was asked for is not', async () => {
    const first = await start()
    await first.stop()
    const blocker = createServer()
    await new Promise<void>((resolve) => blocker.listen(first.port, '127.0.0.1', resolve))
    await expect(start({ port: first.port })).rejects.toThrow(`Port ${first.port} for PostgreSQL is taken`)
    const second = await start()
    expect(second.port).not.toBe(first.port)
    expect(second.port).toBeLessThan(32_768)
    await second.stop()
    await new Promise((resolve) => blocker.close(resolve))
  })
})

describe('after a crash', () => {
  test('of PostgreSQL, everything committed is there again', async () => {
    const first = await start()
    await writeRows(first.databaseUrl)
    process.kill(first.pid, 'SIGKILL')
    await first.exited
    await first.stop()
    const second = await start()
    expect(await countRows(second.databaseUrl)).toBe(1000)
    await second.stop()
  })

  test('a process id that now belongs to another program is ignored', async () => {
    const first = await start()
    await writeRows(first.databaseUrl)
    process.kill(first.pid, 'SIGKILL')
    await first.exited
    await first.stop()
    const pidFile = join(dataDir, 'cluster', 'postmaster.pid')
    const [, ...rest] = (await readFile(pidFile, 'utf8')).split('\n')
    // Of the same account, since PostgreSQL itself disregards processes that it may not signal.
    const stranger = spawn('sleep', ['600'], { ...(isRoot ? NOBODY : {}), stdio: 'ignore' })
    await writeFile(pidFile, [stranger.pid, ...rest].join('\n'))
    const second = await start()
    expect(await countRows(second.databaseUrl)).toBe(1000)
    await second.stop()
    expect(stranger.exitCode).toBe(null)
    stranger.kill()
  })

  test('of Drover, the running PostgreSQL is reused, and stopped at the end', async () => {
    const { script, started } = startElsewhere({})
    const first = await started
    await writeRows(first.databaseUrl)
    await expect(start()).rejects.toThrow(`is in use by process ${script.pid}`)
    await script.kill('SIGKILL')
    expect(isAlive(first.pid)).toBe(true)
    const second = await start()
    expect(second.adopted).toBe(true)
    expect(second.pid).toBe(first.pid)
    expect(await countRows(second.databaseUrl)).toBe(1000)
    await second.stop()
    expect(isAlive(first.pid)).toBe(false)
  })

  test('of both, the data is there again', async () => {
    const { script, started } = startElsewhere({})
    const first = await started
    await writeRows(first.databaseUrl)
    await script.kill('SIGKILL')
    process.kill(first.pid, 'SIGKILL')
    expect(await awaitExit(first.pid, 10_000)).toBe(true)
    const second = await start()
    expect(second.adopted).toBe(false)
    expect(await countRows(second.databaseUrl)).toBe(1000)
    await second.stop()
  })

  test('a reused server is restarted if another port is asked for', async () => {
    const { script, started } = startElsewhere({})
    const first = await started
    await writeRows(first.databaseUrl)
    await script.kill('SIGKILL')
    const port = await findFreePort()
    const second = await start({ port })
    expect(second.port).toBe(port)
    expect(await countRows(second.databaseUrl)).toBe(1000)
    await second.stop()
  })
})

describe('the programs', () => {
  test('are completed in place if install scripts did not run', async () => {
    const bare = await copyBarePackage(join(folder, 'package'))
    const started = await start({ package: bare })
    await started.stop()
    expect((await lstat(join(bare.nativeDir, 'lib', 'libpq.so.5'))).isSymbolicLink()).toBe(true)
    expect(await readdir(dataDir)).not.toContain(`native-${bare.version}`)
  })

  test.skipIf(!canRunAsNobody)(
    'are copied if they cannot be completed (needs root, to act as another user)',
    async () => {
      const bare = await copyBarePackage(join(folder, 'package'))
      await mkdir(dataDir)
      await chown(dataDir, NOBODY.uid, NOBODY.gid)
      const { script, started } = startElsewhere({ package: bare }, NOBODY)
      await writeRows((await started).databaseUrl)
      expect(await readdir(dataDir)).toContain(`native-${bare.version}`)
      await expect(lstat(join(bare.nativeDir, 'lib', 'libpq.so.5'))).rejects.toThrow('ENOENT')
      await script.kill()
    },
  )
})

describe('accounts', () => {
  test.skipIf(!canRunAsNobody)('an ordinary user can start it (needs root, to act as another user)', async () => {
    await mkdir(dataDir, { mode: 0o700 })
    await chown(dataDir, NOBODY.uid, NOBODY.gid)
    const { script, started } = startElsewhere({}, NOBODY)
    await writeRows((await started).databaseUrl)
    await script.kill()
  })

  test.skipIf(!isRoot)('root, with a folder and programs that no other user can read (needs root)', async () => {
    const bare = await copyBarePackage(join(folder, 'package'))
    await chmod(folder, 0o700)
    const first = await start({ package: bare })
    const record: { home: string } = JSON.parse(await readFile(join(dataDir, 'postgres.json'), 'utf8'))
    expect(record.home).not.toBe(dataDir)
    await writeRows(first.databaseUrl)
    await first.stop()
    const second = await start({ package: bare })
    expect(await countRows(second.databaseUrl)).toBe(1000)
    await second.stop()
    await removeEmbeddedPostgres(dataDir)
    await expect(stat(record.home)).rejects.toThrow('ENOENT')
  })

  test.skipIf(!isRoot)(
    'a copy outside the data folder is removed with it, but not after a move (needs root)',
    async () => {
      await chmod(folder, 0o700)
      const started = await start()
      const { home }: { home: string } = JSON.parse(await readFile(join(dataDir, 'postgres.json'), 'utf8'))
      await started.stop()
      await rename(dataDir, join(folder, 'moved'))
      await removeAbandonedHomes(dirname(home), 0)
      expect((await stat(join(home, 'cluster'))).isDirectory()).toBe(true)
      const moved = await start({ dataDir: join(folder, 'moved') })
      await rm(join(folder, 'moved'), { recursive: true })
      await removeAbandonedHomes(dirname(home), 0)
      await moved.exited
      await expect(stat(home)).rejects.toThrow('ENOENT')
    },
  )

  test.skipIf(!isRoot)('root, in a folder that belongs to a user, runs it as that user (needs root)', async () => {
    await mkdir(dataDir, { mode: 0o700 })
    await chown(dataDir, NOBODY.uid, NOBODY.gid)
    const started = await start()
    expect((await stat(join(dataDir, 'cluster'))).uid).toBe(NOBODY.uid)
    expect((await stat(`/proc/${started.pid}`)).uid).toBe(NOBODY.uid)
    await started.stop()
  })
})
