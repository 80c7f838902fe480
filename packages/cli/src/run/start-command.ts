/** `drover start`: the service, with everything it needs given by settings. */

import { loadConfig, resolveSettings, secretsOf } from '@drover/server/settings'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addSettingFlags, readConfigInput } from '../setup/setting-flags.ts'
import { runUntilStopped } from './run-until-stopped.ts'

export function addStartCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('start')
    .description(
      'run the service; needs DROVER_DATABASE_URL, DROVER_RPC_URL, a key source such as DROVER_KEYSTORE_DIR, and an API key (or --open)',
    )
    .addHelpText(
      'after',
      `
Secrets have no flags, because every user of the machine can read the arguments of a process.
Set them in the environment or in a configuration file.

Example:
  DROVER_DATABASE_URL=postgres://drover@db/drover DROVER_RPC_URL=https://rpc.example \\
  DROVER_KEYSTORE_DIR=/keys DROVER_KEYSTORE_PASSWORD=file:/run/secrets/password drover start`,
    )
    .action(() => start(command, context))
  addSettingFlags(command)
}

async function start(command: Command, context: CommandContext): Promise<void> {
  const input = await readConfigInput(command, context)
  const config = loadConfig(input)
  // Loaded only now: help and wrong usage should not pay for the whole service.
  const { createTelemetry, startService } = await import('@drover/server')
  const telemetry = createTelemetry({
    level: config.logLevel,
    stream: context.terminal.stdout,
    secrets: secretsOf(resolveSettings(input)),
    withProcessMetrics: true,
  })
  if (config.keys.privateKeys.length > 0)
    telemetry.log('warn', 'private keys are in an environment variable or a settings file: use this for trials only', {
      next: 'Use a keystore, the database, a remote signer or a key management service: see docs/keys.md.',
    })
  context.finish(
    await runUntilStopped({
      terminal: context.terminal,
      shutdownTimeoutMs: config.shutdownTimeoutMs,
      onBug: (error) => telemetry.log('error', 'internal error; Drover stops', { error }),
      start: (signal) => startService(config, telemetry, signal),
      onStarted: ({ url, nodeId }) => telemetry.log('info', 'Drover is ready', { url, nodeId }),
    }),
  )
}
