/**
 * What every command gets: the terminal, a place for its exit code, and the redactor that hides secrets in its output.
 */
import type { Redactor } from '@drover/server/settings'
import type { ExitCode } from './exit-code.ts'
import type { Terminal } from './output/terminal.ts'

export interface CommandContext {
  readonly terminal: Terminal
  readonly redactor: Redactor
  finish(code: ExitCode): void
}

export function printLine(context: CommandContext, text: string): void {
  context.terminal.stdout.write(`${context.redactor.redact(text)}\n`)
}
