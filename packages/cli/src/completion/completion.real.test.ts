/** The completion scripts, in the shells that this machine has. */
import { execFile, execFileSync } from 'node:child_process'
import { promisify } from 'node:util'
import { createRedactor } from '@drover/server/settings'
import { expect, test } from 'vitest'
import { createProcessTerminal } from '../output/terminal.ts'
import { createProgram } from '../run-cli.ts'
import { describeCommands } from './command-tree.ts'
import { type Shell, writeCompletion } from './completion-scripts.ts'

const program = createProgram({
  terminal: createProcessTerminal(),
  redactor: createRedactor([]),
  finish: () => undefined,
})
const root = describeCommands(program)

function has(shell: Shell): boolean {
  try {
    execFileSync(shell, ['-c', 'true'])
    return true
  } catch {
    return false
  }
}

/** What bash would offer behind these words. */
async function offer(...words: readonly string[]): Promise<readonly string[]> {
  const script = `${writeCompletion('bash', root)}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _drover; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout } = await promisify(execFile)('bash', ['-c', script, 'bash', 'drover', ...words])
  return stdout.split('\n').filter((line) => line !== '')
}

test.skipIf(!has('bash'))('bash offers commands, options and choices', async () => {
  expect(await offer('')).toEqual(expect.arrayContaining(['tx', 'batch', 'signer', 'doctor', 'completion']))
  expect(await offer('t')).toEqual(['tx', 'timers'])
  expect(await offer('tx', 's')).toEqual(['send', 'show', 'speed-up', 'suspend'])
  expect(await offer('tx', 'send', '--va')).toEqual(['--value', '--valid-until'])
  expect(await offer('tx', 'send', '--from', '0x1', '--speed', '')).toEqual(['slow', 'standard', 'fast'])
  expect(await offer('tx', 'send', '--wait', 'c')).toEqual(['confirmed'])
  // A value that cannot be known: no words of ours.
  expect(await offer('tx', 'send', '--from', '')).toEqual([])
  // A value that looks like a command is none.
  expect(await offer('tx', 'list', '--from', 'signer', '--st')).toEqual(['--state'])
})

test.each<Shell>(['bash', 'zsh', 'fish'])('%s reads its script without complaint', async (shell) => {
  const script = writeCompletion(shell, root)
  for (const word of ['send', 'watch', 'fill-gap', 'metadata']) expect(script).toContain(word)
  if (!has(shell)) return
  const { stderr } = await promisify(execFile)(shell, ['-n', '-c', script])
  expect(stderr).toBe('')
})
