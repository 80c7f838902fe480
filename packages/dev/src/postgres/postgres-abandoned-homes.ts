/**
 * Removes the homes of clusters whose data dir has been deleted (see `postgres-home.ts`).
 *
 * A home holds a second link to a file of its data dir. As long as the file has two links the data dir still exists,
 * wherever it may have been moved to; with one link it is gone. On another file system no such link can be made, and the
 * home is then never removed: 40 MB too much on the disk are better than a database deleted by mistake.
 */
import { link, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../error-code.ts'
import { findPostmaster, stopPostmaster } from './postmaster.ts'

export const HOME_PREFIX = 'drover-'

const TIE = 'data-dir'
const MIN_AGE_MS = 10 * 60_000

export async function tieHome(home: string, dataDir: string): Promise<void> {
  const file = join(dataDir, 'postgres.home')
  await rm(file, { force: true })
  await writeFile(file, `${home}\n`, { mode: 0o600 })
  try {
    await link(file, join(home, TIE))
  } catch (error) {
    const code = errorCode(error)
    if (code !== 'EXDEV' && code !== 'EPERM' && code !== 'ENOTSUP') throw error
  }
}

export async function removeAbandonedHomes(folder: string, minAgeMs = MIN_AGE_MS): Promise<void> {
  for (const name of await readdir(folder)) {
    const home = join(folder, name)
    if (!name.startsWith(HOME_PREFIX) || !(await isAbandoned(home, minAgeMs))) continue
    const running = await findPostmaster(join(home, 'cluster'))
    if (running !== null) await stopPostmaster(running.process)
    await rm(home, { recursive: true, force: true })
  }
}

async function isAbandoned(home: string, minAgeMs: number): Promise<boolean> {
  try {
    const [folder, tie] = [await stat(home), await stat(join(home, TIE))]
    // The change time of a file is, here, when its other link was deleted.
    const isOurs = folder.isDirectory() && folder.uid === process.getuid?.()
    return isOurs && tie.nlink === 1 && Date.now() - tie.ctimeMs >= minAgeMs
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES') return false
    throw error
  }
}
