/** `drover audit`: who did what, newest first. */
import type { Answer } from '@drover/client'
import type { Command } from 'commander'
import type { CommandContext } from './command-context.ts'
import { readCount } from './option-value.ts'
import { presentTable } from './present-table.ts'
import { addServiceCommand } from './service-command.ts'

type Entry = Answer<'GET /v1/audit'>['items'][number]

export function addAuditCommand(program: Command, context: CommandContext): void {
  addServiceCommand(program, context, {
    name: 'audit',
    description: 'list who did what, newest first',
    examples: ['drover audit --limit 20'],
    configure: (command) =>
      void command
        .option('--limit <count>', 'at most so many', readCount(1, 200), 50)
        .option('--before <id>', '`next` of an earlier answer', readCount(0, Number.MAX_SAFE_INTEGER)),
    async run({ drover, signal, style, print }, command) {
      const { limit, before } = command.opts<{ limit: number; before?: number }>()
      const query = { limit, ...(before !== undefined && { before }) }
      const page = await drover.request('GET /v1/audit', { query }, { signal })
      print(page, () =>
        page.items.length === 0 ? 'Nothing was done yet.' : presentTable<Entry>(COLUMNS, page.items, style),
      )
      return undefined
    },
  })
}

const COLUMNS = [
  { heading: 'AT', cell: ({ at }: Entry) => at },
  { heading: 'WHO', cell: ({ actor }: Entry) => actor },
  { heading: 'DID', cell: ({ operation }: Entry) => operation },
  { heading: 'TO', cell: ({ target }: Entry) => target },
  { heading: 'RESULT', cell: ({ result }: Entry) => result },
]
