/** The command line as one function: arguments and a terminal in, an exit code out. */
import { readFileSync } from 'node:fs'
import { createRedactor } from '@drover/server/settings'
import { Command } from 'commander'
import { addArchiveCommand } from './archive/archive-command.ts'
import { addBatchCommand } from './batch/batch-command.ts'
import type { CommandContext } from './command-context.ts'
import { addCompletionCommand } from './completion/completion-command.ts'
import { EXIT, EXIT_CODES_HELP, type ExitCode } from './exit-code.ts'
import { reportFailure } from './output/report-failure.ts'
import type { Terminal } from './output/terminal.ts'
import { addRulesGroup } from './rules/rules-group.ts'
import { addDevCommand } from './run/dev-command.ts'
import { addMigrateCommand } from './run/migrate-command.ts'
import { addSimulateCommand } from './run/simulate-command.ts'
import { addStartCommand } from './run/start-command.ts'
import { addAuditCommand } from './service/audit-command.ts'
import { addChainCommands } from './service/chain-commands.ts'
import { addEventsCommand } from './service/events-command.ts'
import { addWhoamiCommand } from './service/whoami-command.ts'
import { addConfigCommand } from './setup/config-command.ts'
import { addDoctorCommand } from './setup/doctor-command.ts'
import { addKeyCommand } from './setup/key-command.ts'
import { addSignerGroup } from './signer/signer-group.ts'
import { addTimersGroup } from './timers/timers-group.ts'
import { addTxGroup } from './tx/tx-group.ts'
import { addWebhookGroup } from './webhook/webhook-group.ts'

const EXAMPLES = `
Examples:
  drover dev                          run everything on this machine, with a web page
  drover migrate                      create or update the tables
  drover start --port 8080            run the service
  drover config                       show all settings, where they come from, and problems
  drover doctor                       check everything the service needs
  drover tx send --from 0xf39F… --to 0x7099… --value 0.1ether
  drover tx explain 0x5e1d…           why it is in this state, and what you can do
  drover batch payouts.csv --from 0xf39F…
  drover signer list                  list signers and their state
  drover events --follow --json       follow all events, one per line
  drover archive --to /var/lib/drover/archive
                                      write what is finished to files
  drover timers create --from 0xf39F… --to 0x5FbD… --function "poke()" --every 10
  drover timers simulate              simulate a congested timer lane
  drover simulate --seed 7            simulate a cluster and everything that can go wrong`

export async function runCli(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok
  const context: CommandContext = {
    terminal,
    redactor: createRedactor([]),
    finish: (given) => {
      code = given
    },
  }
  try {
    await createProgram(context).parseAsync([...args], { from: 'user' })
    return code
  } catch (error) {
    return reportFailure(error, context, isDebugging(args, terminal))
  }
}

/** The whole tree of commands; the completion scripts and the reference page are made from it too. */
export function createProgram(context: CommandContext): Command {
  const { stdout, stderr } = context.terminal
  const program = new Command('drover')
    .description('Drives EVM transactions to finality, exactly once.')
    .version(readVersion(), '--version')
    .exitOverride()
    .configureOutput({ writeOut: (text) => void stdout.write(text), writeErr: (text) => void stderr.write(text) })
    .showSuggestionAfterError()
    .showHelpAfterError('(run with --help for usage)')
    .addHelpText('after', `${EXAMPLES}\n${EXIT_CODES_HELP}`)
  addDevCommand(program, context)
  addStartCommand(program, context)
  addMigrateCommand(program, context)
  addConfigCommand(program, context)
  addDoctorCommand(program, context)
  addKeyCommand(program, context)
  addTxGroup(program, context)
  addBatchCommand(program, context)
  addSignerGroup(program, context)
  addRulesGroup(program, context)
  addEventsCommand(program, context)
  addWebhookGroup(program, context)
  addChainCommands(program, context)
  addAuditCommand(program, context)
  addWhoamiCommand(program, context)
  addArchiveCommand(program, context)
  addTimersGroup(program, context)
  addSimulateCommand(program, context)
  addCompletionCommand(program, context)
  return program
}

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest) return String(manifest.version)
  throw new Error('the package has no version')
}

function isDebugging(args: readonly string[], terminal: Terminal): boolean {
  return terminal.env.DROVER_LOG_LEVEL === 'debug' || args.join(' ').includes('--log-level debug')
}
