/**
 * Commands that talk to a running service. Each is described once (name, what it does, examples, options, code); this adds
 * what all of them have: where the service is, the API key, JSON or text, colours, exit codes and Ctrl-C.
 */
import { DroverError } from '@drover/client'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { exitCodeOf, presentFailure, presentFailureJson } from './service-failure.ts'
import {
  catchSignals,
  Interrupted,
  openSession,
  readApiKey,
  type ServiceOptions,
  type Session,
  UsageError,
} from './service-session.ts'

export interface ServiceCommand {
  /** With its arguments, as commander spells them: `show <id>`. */
  readonly name: string
  readonly description: string
  readonly examples: readonly string[]
  configure?(command: Command): void
  /** Ok, unless it says otherwise. */
  run(session: Session, command: Command): Promise<ExitCode | undefined>
}

const DEFAULT_URL = 'http://127.0.0.1:4747'

export function addServiceCommand(parent: Command, context: CommandContext, definition: ServiceCommand): Command {
  const command = parent.command(definition.name).description(definition.description)
  definition.configure?.(command)
  command
    .option('--url <url>', `URL of the service (default: DROVER_URL, else ${DEFAULT_URL})`)
    .option('--api-key-file <file>', 'file with the API key; DROVER_API_KEY takes precedence')
    .option('--json', 'print JSON: one document, or one line per item for streams')
    .option('--no-color', 'no colours; NO_COLOR does the same')
  const examples = definition.examples.map((line) => `  ${line}`)
  command.addHelpText('after', ['', examples.length === 1 ? 'Example:' : 'Examples:', ...examples].join('\n'))
  return command.action(() => runService(definition, command, context))
}

async function runService(definition: ServiceCommand, command: Command, context: CommandContext): Promise<void> {
  const options = command.opts<ServiceOptions>()
  const url = options.url ?? (context.terminal.env.DROVER_URL?.trim() || DEFAULT_URL)
  const interruption = catchSignals(context.terminal)
  try {
    const apiKey = await readApiKey(options, context)
    const session = openSession({ url, apiKey, options, context, signal: interruption.signal })
    context.finish((await definition.run(session, command)) ?? EXIT.ok)
  } catch (error) {
    context.finish(printFailure(error, { url, json: options.json === true, context }))
  } finally {
    interruption.close()
  }
}

function printFailure(
  error: unknown,
  { url, json, context }: { readonly url: string; readonly json: boolean; readonly context: CommandContext },
): ExitCode {
  const say = (text: string) => void context.terminal.stderr.write(`${context.redactor.redact(text)}\n`)
  if (error instanceof Interrupted) return EXIT.interrupted
  if (error instanceof UsageError) {
    say(json ? JSON.stringify({ error: { code: 'usage', detail: error.message } }) : `error: ${error.message}`)
    return EXIT.usage
  }
  if (!(error instanceof DroverError)) throw error
  say(json ? presentFailureJson(error) : presentFailure(error, url))
  return exitCodeOf(error)
}
