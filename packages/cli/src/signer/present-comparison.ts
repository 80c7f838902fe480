/** What `drover signer compare` prints for people: a line for each forgotten transaction, and what to do next. */
import { type Column, presentTable } from '../output/present-table.ts'
import type { Style } from '../output/style.ts'
import type { Comparison, Match } from './match-sent.ts'

const COLUMNS: readonly Column<Match & { readonly note: string }>[] = [
  { heading: 'NONCE', align: 'right', isWhole: true, cell: ({ sent }) => String(sent.nonce) },
  { heading: 'BLOCK', align: 'right', isSpare: true, cell: ({ sent }) => String(sent.blockNumber) },
  { heading: 'HASH', isSpare: true, cell: ({ sent }) => sent.hash },
  { heading: 'TO', cell: ({ sent }) => sent.to ?? 'new contract' },
  { heading: 'WEI', align: 'right', isSpare: true, cell: ({ sent }) => sent.value },
  { heading: 'IN THIS DATABASE', isWhole: true, cell: ({ note }) => note },
]

export function presentComparison(comparison: Comparison, style: Style): string {
  const { address, nextNonce, matches, notFound, cancelled } = comparison
  const rows = matches.map((match) => ({ ...match, note: describe(match, cancelled) }))
  const count = (test: (match: Match) => boolean) => matches.filter(test).length
  const lines = [
    matches.length === 0
      ? `The chain has nothing of ${address} that this database does not know (next nonce: ${nextNonce ?? 'none'}).`
      : `${presentTable(COLUMNS, rows, style)}\n`,
  ]
  const certain = count(({ queued, doubt }) => queued !== null && doubt === null)
  const doubtful = count(({ doubt }) => doubt !== null)
  const unknown = count(({ queued }) => queued === null)
  if (certain > cancelled.length)
    lines.push(
      `${certain} still queued, though the chain has the same: a resume would send them again. Cancel them: add --cancel-sent --reason "…".`,
    )
  if (cancelled.length > 0) lines.push(`Cancelled ${cancelled.length} that the chain has already.`)
  if (doubtful > 0)
    lines.push(
      `${doubtful} to decide by hand: same content, but held back in the backup. Cancel them with drover tx cancel.`,
    )
  if (unknown > 0)
    lines.push(
      `${unknown} not in this database: accepted after the backup and sent. Tell the callers that they are done, or a repeat sends them again.`,
    )
  if (notFound.length > 0)
    lines.push(
      `Not found in any block: nonce ${notFound.join(', ')}. Try again with another RPC node before you resume.`,
    )
  return lines.join('\n')
}

function describe({ queued, doubt }: Match, cancelled: readonly string[]): string {
  if (queued === null) return 'unknown'
  const name = queued.requestId === null ? queued.id : `${queued.id} (${queued.requestId})`
  if (cancelled.includes(queued.id)) return `cancelled ${name}`
  return doubt === null ? `queued ${name}` : `${name} ${doubt}`
}
