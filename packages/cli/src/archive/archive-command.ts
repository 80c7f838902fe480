/** `drover archive`: writes what is finished to files, so that it can be deleted. */
import { type Command, Option } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { readCount, readInstantOrSpan } from '../option-value.ts'
import { addSettingFlags } from '../setup/setting-flags.ts'
import { ARCHIVE_KINDS } from './archive-kinds.ts'

export function addArchiveCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('archive')
    .description('write finished transactions, events and audit entries to files, directly from the database')
    .requiredOption('--to <folder>', 'folder for the files')
    .addOption(new Option('--kind <kind>', 'only this kind').choices(ARCHIVE_KINDS))
    .option('--before <when>', 'only what is older: a duration (30d), or an ISO 8601 time', readInstantOrSpan(-1))
    .option('--file-lines <count>', 'start a new file after this many lines', readCount(1, 10_000_000), 100_000)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Each run continues where the last one ended. Run it again after an interruption: no line is lost or written twice.
With DROVER_KEEP_UNTIL_ARCHIVED=true nothing is deleted before it is archived.

Examples:
  drover archive --to /var/lib/drover/archive
  drover archive --to /var/lib/drover/archive --kind audit --before 30d`,
    )
    .action(async () => {
      // Loaded only now: help and wrong usage should not pay for the database.
      const { runArchive } = await import('./run-archive.ts')
      await runArchive(command, context)
    })
  addSettingFlags(command, ['configFile'])
}
