/** The command line as a function, with a terminal that records the output and can be interrupted. */

import type { Terminal } from '../../packages/cli/src/output/terminal.ts'
import { runCli } from '../../packages/cli/src/run-cli.ts'

export interface CliResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface CliRun {
  readonly ended: Promise<CliResult>
  stdout(): string
  /** Like Ctrl-C. */
  interrupt(): void
}

export interface CliOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly folder?: string
  /** If given: a terminal of this width. */
  readonly columns?: number
}

export function startCli(args: readonly string[], { env = {}, folder = '/', columns }: CliOptions = {}): CliRun {
  const said = { stdout: '', stderr: '' }
  const hear = (where: keyof typeof said) => ({
    write(text: string) {
      said[where] += text
    },
  })
  const listeners = new Set<(signal: string) => void>()
  const screen = columns === undefined ? {} : { isTTY: true, columns }
  const terminal: Terminal = {
    env,
    folder,
    stdout: { ...screen, ...hear('stdout') },
    stderr: { ...screen, ...hear('stderr') },
    onSignal(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    onBug: () => () => undefined,
    exit: (code) => {
      throw new Error(`it ended at once, with ${code}`)
    },
  }
  return {
    ended: runCli(args, terminal).then((code) => ({ code, ...said })),
    stdout: () => said.stdout,
    interrupt: () => listeners.forEach((listener) => void listener('SIGINT')),
  }
}
