/**
 * One file of an archive. It gets its name only when it is whole and on the disk, and the name says what it holds: the numbers of the lines
 * between two marks. So a file that was finished by a run that died before it could move the mark is recognised.
 */
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

export interface ArchiveFile {
  write(lines: readonly string[]): Promise<void>
  /** Gives it its name, and returns the path. */
  finish(last: number): Promise<string>
  discard(): Promise<void>
}

const DIGITS = 15

/** `after`: the mark that it begins at. Replaces what a killed run left there. */
export async function createArchiveFile(folder: string, kind: string, after: number): Promise<ArchiveFile> {
  await mkdir(folder, { recursive: true })
  const start = `${kind}-${pad(after + 1)}`
  const draft = join(folder, `${start}.partial`)
  // Signed bytes and call data are nobody else's business.
  const file = await open(draft, 'w', 0o600)
  return {
    write: async (lines) => {
      if (lines.length > 0) await file.writeFile(`${lines.join('\n')}\n`)
    },
    finish: async (last) => {
      await file.sync()
      await file.close()
      const path = join(folder, `${start}-${pad(last)}.ndjson`)
      await rename(draft, path)
      await syncFolder(folder)
      return path
    },
    discard: async () => {
      await file.close()
      await rm(draft, { force: true })
    },
  }
}

/** The last number of a whole file that begins at this mark; null: there is none. */
export async function findFinishedFile(folder: string, kind: string, after: number): Promise<number | null> {
  const start = `${kind}-${pad(after + 1)}-`
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  // It may have been compressed since.
  const found = names.find((name) => name.startsWith(start) && /^\d+\.ndjson(\.\w+)?$/.test(name.slice(start.length)))
  return found === undefined ? null : Number.parseInt(found.slice(start.length), 10)
}

/** Without this a new name may be gone after a power cut, while the mark in the database is not. */
async function syncFolder(folder: string): Promise<void> {
  let handle: FileHandle | null = null
  try {
    handle = await open(folder, 'r')
    await handle.sync()
  } catch (error) {
    // Windows cannot, and needs it not.
    if (process.platform !== 'win32') throw error
  } finally {
    await handle?.close()
  }
}

function pad(value: number): string {
  return String(value).padStart(DIGITS, '0')
}
