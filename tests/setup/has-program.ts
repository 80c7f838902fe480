/** Whether this machine has a program. Says so loudly where it has not: what needs it is then left out. */
import { spawnSync } from 'node:child_process'

export function hasProgram(name: string, args: readonly string[] = ['--version']): boolean {
  const isThere = spawnSync(name, args, { stdio: 'ignore' }).error === undefined
  if (!isThere) console.warn(`SKIPPED: ${name} is not installed, so the tests that need it do not run`)
  return isThere
}
