/** Finds what belongs to somebody's machine and not to the project: absolute paths and private package hosts. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runProgram } from './run-program.ts'

const LOCAL_PATH = /(?:^|[\s"'`(=])\/(?:work|tmp|root|home)\/[\w.-]/
const PACKAGE_HOST = /"resolved": "https?:\/\/(?!registry\.npmjs\.org\/)/

export async function findLocalTraces(folder: string): Promise<readonly string[]> {
  const listed = await runProgram('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], folder)
  if (listed.code !== 0) throw new Error(`git cannot list the files: ${listed.output}`)
  const traces: string[] = []
  // Git also lists what was deleted and not yet committed.
  const files = listed.stdout.split('\0').filter((name) => name !== '' && existsSync(join(folder, name)))
  for (const file of files) {
    const text = await readFile(join(folder, file), 'utf8')
    for (const [index, line] of text.split('\n').entries())
      if (LOCAL_PATH.test(line) || PACKAGE_HOST.test(line))
        traces.push(`${file}:${index + 1}: ${line.trim().slice(0, 120)}`)
  }
  return traces
}
