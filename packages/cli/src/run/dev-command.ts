/** `drover dev`: database, chain, service and page on this machine, by one command. */
import { resolve } from 'node:path'
import type { Dev } from '@drover/dev'
import { integer } from '@drover/server/settings'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { DEFAULT_DATA_DIR, writeDevRecord } from './dev-record.ts'
import { loadDev } from './load-dev.ts'
import { presentDevSummary } from './present-dev-summary.ts'
import { runUntilStopped } from './run-until-stopped.ts'

interface DevOptions {
  readonly port?: number
  readonly chainPort?: number
  readonly dataDir: string
  readonly json: boolean
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error'
}

/** Stopping includes the database and the chain, which get their own time to end well. */
const SHUTDOWN_TIMEOUT_MS = 15_000

export function addDevCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('dev')
    .description('start everything on this machine: database, local chain, service, web page and funded demo signers')
    .option('--port <port>', 'port of the service and the web page (default: 4747)', parsePort)
    .option('--chain-port <port>', 'port of the chain (default: 8545, or the next free one)', parsePort)
    .option('--data-dir <folder>', 'folder for the database and the chain', DEFAULT_DATA_DIR)
    .option('--json', 'print only one line of JSON to standard output, when ready', false)
    .addOption(
      new Option('--log-level <level>', 'minimum level of log lines, on standard error')
        .choices(['debug', 'info', 'warn', 'error'])
        .env('DROVER_LOG_LEVEL')
        .default('warn'),
    )
    .addHelpText(
      'after',
      '\nOther settings come from the environment (DROVER_…), except the database, the chain and the keys.\nThe demo signers use public development keys: never send real funds to them.',
    )
    .action(() => startDevelopment(command, context))
}

async function startDevelopment(command: Command, context: CommandContext): Promise<void> {
  const { port, chainPort, dataDir, json, logLevel } = command.opts<DevOptions>()
  // Loaded only now: help and wrong usage should not pay for the whole service.
  const [{ startDev }, { createTelemetry }] = await Promise.all([loadDev(), import('@drover/server')])
  const telemetry = createTelemetry({ level: logLevel, stream: context.terminal.stderr, withProcessMetrics: true })
  const folder = resolve(context.terminal.folder, dataDir)
  context.finish(
    await runUntilStopped({
      terminal: context.terminal,
      shutdownTimeoutMs: SHUTDOWN_TIMEOUT_MS,
      onBug: (error) => telemetry.log('error', 'internal error; Drover stops', { error }),
      start: async () => {
        const dev = await startDev({
          dataDir: folder,
          env: context.terminal.env,
          telemetry,
          ...(port !== undefined && { port }),
          ...(chainPort !== undefined && { chainPort }),
        })
        return await recordWhileRunning(dev, folder)
      },
      // Not through the redactor: these URLs and keys are for development, and are printed to be used.
      onStarted: ({ summary }) =>
        context.terminal.stdout.write(`${json ? JSON.stringify(summary) : presentDevSummary(summary)}\n`),
    }),
  )
}

async function recordWhileRunning(dev: Dev, dataDir: string): Promise<Dev> {
  try {
    const removeRecord = await writeDevRecord(dataDir, dev.summary)
    return { ...dev, stop: () => removeRecord().then(dev.stop) }
  } catch (error) {
    await dev.stop()
    throw error
  }
}

function parsePort(text: string): number {
  const parsed = integer(0, 65_535).parse(text)
  if (!parsed.ok) throw new InvalidArgumentError(`It ${parsed.problem}.`)
  return parsed.value
}
