/** `drover signer verify` and `drover signer remove`: whether keys can sign, and the end of a signer. */
import type { KeyCheck } from '@drover/client'
import { EXIT } from '../exit-code.ts'
import { type Column, presentTable } from '../output/present-table.ts'
import type { ServiceCommand } from '../service/service-command.ts'

const COLUMNS: readonly Column<KeyCheck>[] = [
  { heading: 'ADDRESS', isWhole: true, cell: ({ address }) => address },
  {
    heading: 'RESULT',
    cell: ({ verified }) => (verified ? { text: 'verified', colour: 'green' } : { text: 'failed', colour: 'red' }),
  },
  { heading: 'KEY', cell: ({ source }) => source?.replaceAll('_', ' ') ?? '-' },
  { heading: 'PLACE', cell: ({ place }) => place ?? '-' },
  { heading: 'TIME', align: 'right', cell: ({ tookMs }) => (tookMs === null ? '-' : `${tookMs} ms`) },
  { heading: 'PROBLEM', cell: ({ problem }) => problem ?? '' },
]

const verify: ServiceCommand = {
  name: 'verify [address]',
  description: 'sign a challenge with the key of a signer, or of all, and recover the address; sends nothing',
  examples: ['drover signer verify', 'drover signer verify 0xf39F…'],
  async run({ drover, signal, style, print }, { args: [wanted] }) {
    const lanes = wanted === undefined ? await drover.signers.list({ signal }) : []
    const addresses = wanted === undefined ? [...new Set(lanes.map(({ address }) => address))] : [wanted]
    const items: KeyCheck[] = []
    for (const address of addresses) {
      items.push(await drover.signers.verify(address, { signal }))
    }
    print({ items }, () => (items.length === 0 ? 'The service has no signers.' : presentTable(COLUMNS, items, style)))
    return items.every(({ verified }) => verified) ? EXIT.ok : EXIT.failure
  },
}

const remove: ServiceCommand = {
  name: 'remove <address>',
  description: 'remove a signer from all chains and delete its key from the database; refused while something is open',
  examples: ['drover signer remove 0xf39F… --reason "replaced by 0x7099…"'],
  configure: (command) => void command.requiredOption('--reason <text>', 'why; stored in the events and the audit log'),
  async run({ drover, signal, print }, command) {
    const { reason } = command.opts<{ reason: string }>()
    const removal = await drover.signers.remove(command.args[0] ?? '', { reason }, { signal })
    print(removal, () => `Removed ${removal.address} from chain ${removal.chainIds.join(', ')}.`)
    return undefined
  },
}

export const custodyCommands: readonly ServiceCommand[] = [verify, remove]
