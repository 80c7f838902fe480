/** A separate disk for a database server, small enough to fill: a tmpfs, if this process may mount one. */
import { spawnSync } from 'node:child_process'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../../packages/dev/src/error-code.ts'

export interface SmallDisk {
  /** Fills it to the last byte. */
  fill(): Promise<void>
  /** Frees it. */
  drain(): Promise<void>
  remove(): void
}

const MOUNTED = new Set<string>()
process.on('exit', () => {
  for (const folder of MOUNTED) unmount(folder)
})

function unmount(folder: string): void {
  MOUNTED.delete(folder)
  spawnSync('umount', ['--lazy', folder], { stdio: 'ignore' })
}

/** Null if no disk can be mounted; the folder is then an ordinary one. */
export function mountSmallDisk(folder: string, megabytes: number): SmallDisk | null {
  const options = `size=${megabytes}m,mode=0711`
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return null
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'drover-storm', folder], { stdio: 'ignore' }).status !== 0)
    return null
  MOUNTED.add(folder)
  const ballast = join(folder, 'ballast')
  return {
    fill: async () => {
      const file = await open(ballast, 'w')
      try {
        for (let chunk = Buffer.alloc(1024 * 1024); chunk.length > 0; ) {
          try {
            await file.write(chunk)
          } catch (error) {
            if (errorCode(error) !== 'ENOSPC') throw error
            chunk = chunk.subarray(0, chunk.length >> 1)
          }
        }
      } finally {
        await file.close()
      }
    },
    drain: () => rm(ballast, { force: true }),
    remove: () => unmount(folder),
  }
}
