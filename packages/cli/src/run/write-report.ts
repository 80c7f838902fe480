/** Puts the figures of a simulation into a document, with the machine and the commit that they are of. */
import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { dirname } from 'node:path'
import type { ReportContext } from './load-simulator.ts'

const [START, END] = ['<!-- generated: simulator -->', '<!-- end of simulator -->']

export async function writeReport(
  path: string,
  present: (described: Pick<ReportContext, 'machine' | 'commit'>) => string,
): Promise<void> {
  const document = await readFile(path, 'utf8')
  const [before, rest] = document.split(START)
  const after = rest?.split(END)[1]
  if (before === undefined || after === undefined) throw new Error(`${path} must contain "${START}" and "${END}"`)
  const text = present({ machine: describeMachine(), commit: readCommit(dirname(path)) })
  await writeFile(path, `${before}${START}\n\n${text}\n\n${END}${after}`)
}

function describeMachine(): string {
  const [first] = cpus()
  const gibibytes = Math.round(totalmem() / 2 ** 30)
  return `${cpus().length} cores (${first?.model.trim() ?? 'unknown'}), ${gibibytes} GiB, Node.js ${process.version}`
}

function readCommit(folder: string): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: folder, encoding: 'utf8' }).trim()
  } catch {
    // Not a clone, or no git: the figures are worth something all the same.
    return 'unknown'
  }
}
