/** Vitest setup: a test that fails prints the last lines of every process that ran during it. */
import { beforeEach } from 'vitest'
import { forgetEnded, type LaunchedProcess, launchedProcesses } from './launch-process.ts'

const MAX_LINES = 40
const MAX_CHARS = 12_000

beforeEach(({ onTestFailed, task }) => {
  forgetEnded()
  onTestFailed(() => {
    for (const launched of launchedProcesses()) process.stderr.write(describe(task.name, launched))
  })
})

function describe(test: string, { child, name, output }: LaunchedProcess): string {
  const lines = output().trimEnd().split('\n')
  const end = child.exitCode ?? child.signalCode
  const state = end === null ? 'still running' : `ended: ${end}`
  const head = `--- "${test}" failed; last lines of ${name} (process ${child.pid}, ${state}):`
  return `${head}\n${lines.slice(-MAX_LINES).join('\n').slice(-MAX_CHARS)}\n`
}
