/** `drover migrate`: brings the database's schema to what this version needs. */

import { ConfigProblems, resolveSettings } from '@drover/server/settings'
import type { Command } from 'commander'
import { type CommandContext, printLine } from '../command-context.ts'
import { EXIT } from '../exit-code.ts'
import { addSettingFlags, readConfigInput } from '../setup/setting-flags.ts'

export function addMigrateCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('migrate')
    .description('create or update the tables in DROVER_DATABASE_URL; safe to run from several nodes at once')
    .option('--json', 'print the result as one line of JSON')
    .action(() => migrateDatabase(command, context))
  addSettingFlags(command, ['configFile'])
}

async function migrateDatabase(command: Command, context: CommandContext): Promise<void> {
  const input = await readConfigInput(command, context)
  const { values, problems } = resolveSettings({ ...input, required: ['databaseUrl'] })
  if (problems.length > 0 || values.databaseUrl === undefined) throw new ConfigProblems(problems)
  const { migrate } = await import('@drover/server/admin')
  const { applied, version } = await migrate(values.databaseUrl)
  const asJson = command.opts<{ json?: boolean }>().json === true
  const steps = applied.length === 0 ? 'nothing to do' : `applied ${applied.join(', ')}`
  printLine(context, asJson ? JSON.stringify({ version, applied }) : `The schema is at version ${version} (${steps}).`)
  context.finish(EXIT.ok)
}
