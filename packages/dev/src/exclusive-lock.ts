/**
 * A lock file that one living process holds.
 *
 * Node has no file locks that end with the process, so the file names its holder: the process id, and the time that
 * process was started, since ids are used again. A file whose holder is gone is stale and is taken over. The file
 * appears with its content in one step (`link`), and takeovers happen one at a time under a second file, because
 * otherwise two processes that both saw the stale lock could each remove the other's new one.
 */
import { randomUUID } from 'node:crypto'
import { link, open, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { errorCode } from './error-code.ts'
import { describeStart, isAlive } from './process-watch.ts'

/** A takeover lasts a few file operations; a file older than this was left by a process killed in the middle. */
const TAKEOVER_MAX_AGE_MS = 5_000
const TAKEOVER_RETRY_MS = 20

export type LockAttempt =
  | { readonly type: 'acquired'; release(): Promise<void> }
  | { readonly type: 'held'; readonly pid: number }

export async function tryLock(file: string): Promise<LockAttempt> {
  const mine = JSON.stringify({ pid: process.pid, start: describeStart(process.pid), id: randomUUID() })
  for (;;) {
    if (await createWithContent(file, mine)) return { type: 'acquired', release: () => releaseLock(file, mine) }
    const found = await findText(file)
    if (found === null) continue
    const pid = findLivingHolder(found)
    if (pid !== null) return { type: 'held', pid }
    await removeStale(file, found)
  }
}

async function createWithContent(file: string, content: string): Promise<boolean> {
  const draft = `${file}.${randomUUID()}`
  await writeFile(draft, content, { mode: 0o600 })
  try {
    await link(draft, file)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  } finally {
    await rm(draft, { force: true })
  }
}

async function releaseLock(file: string, mine: string): Promise<void> {
  if ((await findText(file)) === mine) await rm(file, { force: true })
}

async function removeStale(file: string, stale: string): Promise<void> {
  const takeover = `${file}.takeover`
  try {
    await (await open(takeover, 'wx', 0o600)).close()
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
    const since = await stat(takeover).catch(() => null)
    if (since !== null && Date.now() - since.mtimeMs > TAKEOVER_MAX_AGE_MS) await rm(takeover, { force: true })
    else await delay(TAKEOVER_RETRY_MS)
    return
  }
  try {
    if ((await findText(file)) === stale) await rm(file, { force: true })
  } finally {
    await rm(takeover, { force: true })
  }
}

function findLivingHolder(content: string): number | null {
  const holder = parseHolder(content)
  if (holder === null || !isAlive(holder.pid)) return null
  return describeStart(holder.pid) === holder.start ? holder.pid : null
}

function parseHolder(content: string): { pid: number; start: string } | null {
  try {
    const value: unknown = JSON.parse(content)
    if (typeof value !== 'object' || value === null || !('pid' in value) || !('start' in value)) return null
    return typeof value.pid === 'number' && typeof value.start === 'string'
      ? { pid: value.pid, start: value.start }
      : null
  } catch {
    return null
  }
}

async function findText(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  }
}
