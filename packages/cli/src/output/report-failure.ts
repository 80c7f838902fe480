/** Reports what went wrong: one clear message for expected failures, the stack only when debugging. */

import { ConfigProblems } from '@drover/server/settings'
import { CommanderError } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'

export function reportFailure(error: unknown, context: CommandContext, isDebugging: boolean): ExitCode {
  // Commander has already written its message, or the help or version that was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
  const lines = [describe(error)]
  if (isDebugging && error instanceof Error && error.stack !== undefined) lines.push(error.stack)
  context.terminal.stderr.write(`${context.redactor.redact(lines.join('\n'))}\n`)
  return error instanceof ConfigProblems ? EXIT.usage : EXIT.failure
}

function describe(error: unknown): string {
  if (error instanceof ConfigProblems) return error.message
  const chain = messagesOf(error)
  const text = chain.length === 0 ? 'no message' : chain.join('\n  because: ')
  return isExpected(error) ? text : `Internal error: ${text}\nRun with DROVER_LOG_LEVEL=debug for a stack trace.`
}

/**
 * What the world does to us: system errors (ECONNREFUSED), a database that cannot be reached or refuses the connection,
 * and our own named errors. Anything else is a bug: Node's ERR_… codes and the database's complaints about our SQL too.
 */
function isExpected(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('code' in error && typeof error.code === 'string') {
    if (SYSTEM_CODE.test(error.code) || UNREACHABLE_SQLSTATE.test(error.code)) return true
  }
  return !NAMES_OF_BUGS.has(error.name)
}

const SYSTEM_CODE = /^E(?!RR_)[A-Z0-9]+$/
/** Connection, authorisation, no such database, out of resources, being shut down. */
const UNREACHABLE_SQLSTATE = /^(?:08|28|3D|53|57)[0-9A-Z]{3}$/
/** Those of the language; "error" is what the PostgreSQL driver calls what the server answers. */
const NAMES_OF_BUGS = new Set([
  'Error',
  'TypeError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'AggregateError',
  'error',
])

function messagesOf(error: unknown): readonly string[] {
  const messages: string[] = []
  // A refused connection to a name with several addresses is an AggregateError with an empty message.
  const parts = error instanceof AggregateError && error.message === '' ? error.errors.slice(0, 1) : [error]
  for (let part: unknown = parts[0], depth = 0; part !== undefined && part !== null && depth < 5; depth++) {
    const message = part instanceof Error ? part.message : String(part)
    if (message !== '' && !messages.includes(message)) messages.push(message)
    part = part instanceof Error ? part.cause : undefined
  }
  return messages
}
