/** Writes the figures of a simulation, with the machine and the commit that they are of. */
import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { dirname } from 'node:path'

export async function writeReport(
  path: string,
  figures: { readonly command: string; readonly tookMs: number; readonly summary: object },
): Promise<void> {
  const report = { ...figures, commit: readCommit(dirname(path)), machine: describeMachine() }
  await writeFile(path, `${JSON.stringify(report, null, 2)}\n`)
}

function describeMachine(): string {
  const [first] = cpus()
  const gibibytes = Math.round(totalmem() / 2 ** 30)
  return `${cpus().length} cores (${first?.model.trim() ?? 'unknown'}), ${gibibytes} GiB, Node.js ${process.version}`
}

function readCommit(folder: string): string {
  try {
    return execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: folder, encoding: 'utf8' }).trim()
  } catch {
    // Not a clone, or no git: the figures are worth something all the same.
    return 'unknown'
  }
}
