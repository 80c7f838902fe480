/** Writes a file so that a reader, or a crash, sees the old content or the new one and never a part. */
import { randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'

export async function replaceFile(file: string, content: string | Uint8Array): Promise<void> {
  const draft = `${file}.${randomUUID()}`
  try {
    const handle = await open(draft, 'wx', 0o600)
    try {
      await handle.writeFile(content)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
