/** `drover audit`: who did what, newest first. */
import type { Answer } from '@drover/client'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { readCount } from '../option-value.ts'
import { presentTable } from '../output/present-table.ts'
import { addServiceCommand } from './service-command.ts'
import type { Session } from './service-session.ts'

type Entry = Answer<'GET /v1/audit'>['items'][number]

export function addAuditCommand(program: Command, context: CommandContext): void {
  addServiceCommand(program, context, {
    name: 'audit',
    description: 'show the audit log: who did what, newest first',
    examples: ['drover audit --limit 20', 'drover audit --check'],
    configure: (command) =>
      void command
        .option('--limit <count>', 'maximum number', readCount(1, 200), 50)
        .option('--before <id>', 'continue from `next` of the last page', readCount(0, Number.MAX_SAFE_INTEGER))
        .option('--check', 'check the hashes instead: was an entry changed or removed?'),
    async run(session, command) {
      const { drover, signal, style, print } = session
      const { limit, before, check = false } = command.opts<{ limit: number; before?: number; check?: boolean }>()
      if (check) return checkAudit(session)
      const query = { limit, ...(before !== undefined && { before }) }
      const page = await drover.request('GET /v1/audit', { query }, { signal })
      print(page, () => (page.items.length === 0 ? 'No entries yet.' : presentTable<Entry>(COLUMNS, page.items, style)))
      return undefined
    },
  })
}

async function checkAudit({ drover, signal, print }: Session): Promise<ExitCode> {
  const found = await drover.checkAudit({ signal })
  const { brokenAt, last } = found
  // An older service does not say.
  const deleted = found.deleted ?? null
  const from = deleted === null ? '' : ` from entry ${deleted.id + 1}`
  print(found, () =>
    brokenAt === null
      ? `The audit log is intact${from} up to entry ${last.id} (hash ${last.hash}).${spellDeleted(deleted)}`
      : `Entry ${brokenAt} of the audit log was changed, or the one after it is missing. The entries before it are intact.`,
  )
  return brokenAt === null ? EXIT.ok : EXIT.failure
}

function spellDeleted(deleted: Answer<'GET /v1/audit/check'>['deleted']): string {
  if (deleted === null) return ''
  return ` Older entries were deleted because of their age; the last of them was ${deleted.id} (hash ${deleted.hash}).`
}

const COLUMNS = [
  { heading: 'AT', cell: ({ at }: Entry) => at },
  { heading: 'WHO', cell: ({ actor }: Entry) => actor },
  { heading: 'ACTION', cell: ({ operation }: Entry) => operation },
  { heading: 'TARGET', cell: ({ target }: Entry) => target },
  { heading: 'RESULT', cell: ({ result }: Entry) => result },
]
