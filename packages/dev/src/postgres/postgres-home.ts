/**
 * Where an embedded cluster lives and what is remembered about it.
 *
 *     <data dir>/postgres.json   port, password and the cluster's folder; readable for its owner alone
 *     <data dir>/postgres.lock   the process that uses the folder
 *     <data dir>/postgres.log    what PostgreSQL says
 *     <home>/cluster             the PostgreSQL data directory
 *     <home>/native-<version>    a copy of the programs, only where those in node_modules cannot be used
 *
 * The home is the data dir itself, with one exception: root runs PostgreSQL under another account, and if that account
 * cannot reach the data dir (it lies under a 0700 folder such as /root), the home is a new folder in /var/tmp. The
 * record names it, so the next start finds the same data. Deleting the data dir by hand leaves such a home behind; the
 * next one to be made removes it (`postgres-abandoned-homes.ts`).
 */
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readFile, realpath, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { DevSetupError } from '../dev-setup-error.ts'
import { errorCode } from '../error-code.ts'
import { replaceFile } from '../replace-file.ts'
import { HOME_PREFIX, removeAbandonedHomes, tieHome } from './postgres-abandoned-homes.ts'
import { type Account, canAccess } from './postgres-account.ts'

export interface ClusterRecord {
  readonly home: string
  readonly password: string
  readonly port: number | null
}

export function clusterDirOf(record: ClusterRecord): string {
  return join(record.home, 'cluster')
}

/** Makes the folder if need be and returns its real path. Root's must let another account pass through. */
export async function makeDataDir(dataDir: string): Promise<string> {
  const path = resolve(dataDir)
  const made = await mkdir(path, { recursive: true, mode: 0o700 })
  if (made !== undefined && process.getuid?.() === 0) await openForPassage(made, path)
  return realpath(path)
}

async function openForPassage(topmostMade: string, path: string): Promise<void> {
  let folder = topmostMade
  await chmod(folder, 0o711)
  for (const name of path.slice(topmostMade.length).split(/[\\/]/)) {
    if (name === '') continue
    folder = join(folder, name)
    await chmod(folder, 0o711)
  }
}

export async function findRecord(dataDir: string): Promise<ClusterRecord | null> {
  const file = recordFile(dataDir)
  try {
    return parseRecord(await readFile(file, 'utf8'), file)
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT') return null
    if (code !== 'EACCES') throw error
    const owner = (await stat(file)).uid
    const advice = 'run as that user or choose another data folder'
    throw new DevSetupError(`The data folder ${dataDir} belongs to user ${owner}: ${advice}.`, { cause: error })
  }
}

export async function createRecord(dataDir: string, account: Account | null): Promise<ClusterRecord> {
  const isReachable = account === null || canAccess(account, [['-x', dataDir]])
  const home = isReachable ? dataDir : await makeHomeElsewhere(dataDir)
  const record = { home, password: randomBytes(24).toString('hex'), port: null }
  await saveRecord(dataDir, record)
  return record
}

export async function saveRecord(dataDir: string, record: ClusterRecord): Promise<void> {
  await replaceFile(recordFile(dataDir), `${JSON.stringify(record, null, 2)}\n`)
}

async function makeHomeElsewhere(dataDir: string): Promise<string> {
  const shared = await findSharedFolder()
  await removeAbandonedHomes(shared)
  const home = await mkdtemp(join(shared, HOME_PREFIX))
  await chmod(home, 0o711)
  await tieHome(home, dataDir)
  return home
}

async function findSharedFolder(): Promise<string> {
  const hasVarTmp = await stat('/var/tmp').then(
    (found) => found.isDirectory(),
    () => false,
  )
  return hasVarTmp ? '/var/tmp' : tmpdir()
}

function recordFile(dataDir: string): string {
  return join(dataDir, 'postgres.json')
}

function parseRecord(text: string, file: string): ClusterRecord {
  const value: unknown = JSON.parse(text)
  if (typeof value === 'object' && value !== null && 'home' in value && 'password' in value && 'port' in value) {
    const { home, password, port } = value
    const isPort = port === null || typeof port === 'number'
    if (typeof home === 'string' && typeof password === 'string' && isPort) return { home, password, port }
  }
  throw new DevSetupError(`${file} is not what Drover wrote there: restore it, or delete its folder to start anew.`)
}
