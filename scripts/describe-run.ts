/** Where a figure comes from: the machine and the commit that it was measured on. */
import { execFileSync } from 'node:child_process'
import { cpus, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'

export interface RunPlace {
  readonly commit: string
  readonly machine: string
}

export function describeRun(): RunPlace {
  const gibibytes = Math.round(totalmem() / 2 ** 30)
  const machine = `${cpus().length} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), ${gibibytes} GiB, Node.js ${process.version}`
  return { commit: readCommit(), machine }
}

function readCommit(): string {
  try {
    const cwd = fileURLToPath(new URL('.', import.meta.url))
    return execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], { cwd, encoding: 'utf8' }).trim()
  } catch {
    // Not a clone, or no git: the figures are worth something all the same.
    return 'unknown'
  }
}
