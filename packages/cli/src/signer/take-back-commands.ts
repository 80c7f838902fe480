/** `drover signer reservations …`, and how an operator takes them back. */
import type { Answer } from '@drover/client'
import type { Command } from 'commander'
import { readChainId, readCount } from '../option-value.ts'
import { type Column, presentTable } from '../output/present-table.ts'
import type { Style } from '../output/style.ts'
import type { ServiceCommand } from '../service/service-command.ts'

type Listed = Answer<'GET /v1/signers/{address}/nonces'>['items'][number]
type Taken = Answer<'POST /v1/signers/{address}/nonces/release'>['items'][number]

const addChainId = (command: Command) =>
  command.option('--chain-id <id>', 'the chain; optional if the signer is on only one', readChainId)

const COLUMNS: readonly Column<Listed>[] = [
  { heading: 'NONCE', cell: ({ nonce }) => (nonce === null ? 'waiting' : String(nonce)) },
  { heading: 'STATE', cell: ({ reservation }) => reservation?.state ?? 'taken' },
  { heading: 'HOLDER', cell: ({ reservation }) => nameHolder(reservation) },
  { heading: 'UNTIL', cell: ({ reservation }) => reservation?.lockedUntil ?? '' },
  {
    heading: 'ALARM',
    cell: ({ reservation }) => ({ text: reservation?.alarm?.cause ?? '', colour: 'red' as const }),
  },
  { heading: 'RESERVATION', isWhole: true, cell: ({ reservation }) => reservation?.id ?? '' },
]

function nameHolder(reservation: Listed['reservation']): string {
  if (reservation === null) return 'another tenant'
  return reservation.holder ?? (reservation.tenant || '-')
}

const list: ServiceCommand = {
  name: 'reservations <address>',
  description: 'list the reserved nonces of a signer, who holds them and until when',
  examples: ['drover signer reservations 0xf39F…'],
  configure: (command) =>
    void addChainId(command)
      .option('--limit <count>', 'maximum number', readCount(1, 200), 50)
      .option('--after <cursor>', 'continue from `next` of the last page'),
  async run({ drover, signal, style, print }, command) {
    const { chainId, limit, after } = command.opts<{ chainId?: number; limit: number; after?: string }>()
    const query = { limit, ...(chainId !== undefined && { chainId }), ...(after !== undefined && { after }) }
    const page = await drover.signers.listReservations(command.args[0] ?? '', query, { signal })
    print(page, () =>
      [
        page.items.length === 0 ? 'No reserved nonces.' : presentTable(COLUMNS, page.items, style),
        ...(page.next === null ? [] : [`There are more. Use --after ${page.next}.`]),
      ].join('\n'),
    )
    return undefined
  },
}

interface TakeBackOptions {
  readonly chainId?: number
  readonly reason: string
  readonly id?: string
  readonly tenant?: string
  readonly key?: string
}

function takeBack(action: 'release' | 'fill', description: string): ServiceCommand {
  return {
    name: `${action}-reservations <address>`,
    description,
    examples: [`drover signer ${action}-reservations 0xf39F… --reason "the holder is gone"`],
    configure: (command) =>
      void addChainId(command)
        .requiredOption('--reason <text>', 'why; stored in the events and the audit log')
        .option('--id <id>', 'only this reservation')
        .option('--tenant <name>', 'only reservations of this tenant')
        .option('--key <id>', 'only reservations made with this API key'),
    async run({ drover, signal, style, print }, command) {
      const { chainId, reason, id, tenant, key } = command.opts<TakeBackOptions>()
      const body = {
        reason,
        ...(chainId !== undefined && { chainId }),
        ...(id !== undefined && { reservationId: id }),
        ...(tenant !== undefined && { tenant }),
        ...(key !== undefined && { keyId: key }),
      }
      const items = await drover.signers[`${action}Reservations`](command.args[0] ?? '', body, { signal })
      print({ items }, () => presentTaken(items, style))
      return undefined
    },
  }
}

const TAKEN: readonly Column<Taken>[] = [
  { heading: 'NONCE', cell: ({ reservation: { nonce } }) => (nonce === null ? 'none' : String(nonce)) },
  { heading: 'OUTCOME', cell: ({ outcome }) => outcome },
  { heading: 'HOLDER', cell: ({ reservation }) => nameHolder(reservation) },
  { heading: 'REASON', cell: ({ why }) => why ?? '' },
  { heading: 'RESERVATION', isWhole: true, cell: ({ reservation }) => reservation.id },
]

function presentTaken(items: readonly Taken[], style: Style): string {
  return items.length === 0 ? 'No reserved nonces.' : presentTable(TAKEN, items, style)
}

export const takeBackCommands: readonly ServiceCommand[] = [
  list,
  takeBack('release', 'free reserved nonces; fill used ones whose transaction no RPC node knows'),
  takeBack('fill', 'fill reserved nonces with empty transactions, unless an RPC node knows their transaction'),
]
