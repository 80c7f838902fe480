/** Signers for people: a row for each lane, and one lane as a page of fields. */
import type { Lane } from '@drover/client'
import { formatAmount } from '@drover/server/core'
import { type Field, presentFields } from '../output/present-fields.ts'
import { type Cell, type Column, presentTable } from '../output/present-table.ts'
import { type Style, shorten, toVisible } from '../output/style.ts'

const COLUMNS = (style: Style): readonly Column<Lane>[] => [
  { heading: 'ADDRESS', cell: ({ address }) => shorten(address, style) },
  { heading: 'CHAIN', align: 'right', cell: ({ chainId }) => String(chainId) },
  { heading: 'LABEL', isSpare: true, cell: ({ label }) => label ?? '' },
  { heading: 'KEY', isSpare: true, cell: ({ key }) => key?.source.replaceAll('_', ' ') ?? '-' },
  { heading: 'POLICY', cell: ({ policy }) => policy.preset },
  { heading: 'STATUS', cell: statusCell },
  { heading: 'NEXT', align: 'right', cell: ({ nextNonce }) => (nextNonce === null ? '-' : String(nextNonce)) },
  { heading: 'QUEUED', align: 'right', cell: ({ queued }) => String(queued) },
  { heading: 'IN FLIGHT', align: 'right', cell: ({ inFlight }) => String(inFlight) },
  { heading: 'STUCK', align: 'right', cell: ({ stuck }) => String(stuck) },
  { heading: 'BALANCE', align: 'right', cell: balanceCell },
  { heading: 'RUNWAY', align: 'right', cell: ({ balance }) => String(balance?.runway ?? '-') },
]

function balanceCell({ balance }: Lane): Cell {
  if (balance === null) return { text: '-' }
  return { text: formatAmount(balance.wei), ...(balance.isLow && { colour: 'red' }) }
}

function statusCell({ paused, stuck, lease, problems, queued, inFlight }: Lane): Cell {
  if (paused) return { text: 'paused', colour: 'yellow' }
  const bad = problems.find(({ level }) => level === 'bad')
  if (bad !== undefined) return { text: bad.code.replaceAll('_', ' '), colour: 'red' }
  if (stuck > 0) return { text: 'stuck', colour: 'red' }
  if (lease?.live !== true) return { text: 'no owner', colour: 'dim' }
  return queued === 0 && inFlight === 0 ? { text: 'idle', colour: 'green' } : { text: 'working', colour: 'green' }
}

export function presentLanes(lanes: readonly Lane[], style: Style): string {
  return lanes.length === 0 ? 'The service has no signers.' : presentTable(COLUMNS(style), lanes, style)
}

function presentLowest({
  nonce,
  reservationId,
  holder,
  lockedUntil,
  isUsed,
  alarm,
}: NonNullable<Lane['lowestReserved']>): string {
  const who = reservationId === null ? 'another tenant' : `reservation ${reservationId}${holder ? ` of ${holder}` : ''}`
  const until = isUsed ? 'used by its holder' : `until ${lockedUntil}`
  return `nonce ${nonce}, ${who}, ${until}${alarm === null ? '' : `; alarm: ${alarm}`}`
}

function describeDrift(drift: number): string {
  return drift < 0
    ? `the chain is ${-drift} ahead of the next nonce: something else uses this key`
    : `${drift} nonces below the next one are neither used nor reserved`
}

export function presentLane(lane: Lane, style: Style): string {
  const { policy, lowestReserved, lease, balance, chain, window } = lane
  const fields: readonly Field[] = [
    ['address', lane.address],
    ['chain', lane.chainId],
    ['label', lane.label],
    ['status', statusCell(lane).text],
    ['sends', lane.sendsPrivately ? 'privately, only to its own send endpoints' : null],
    ['next nonce', lane.nextNonce],
    ['chain count', chain && `latest ${chain.latest}, pending ${chain.pending}, at ${chain.at}`],
    ['nonce drift', chain && chain.drift !== 0 ? describeDrift(chain.drift) : null],
    ['queued', lane.queued],
    ['in flight', lane.inFlight],
    ['window', window && `${window.size}: ${window.reason}, since ${window.since}`],
    ['stuck', lane.stuck],
    ['reserved nonces', lane.reserved],
    ['free nonces', lane.free],
    ['blocked by', lowestReserved && presentLowest(lowestReserved)],
    ['balance', balance && `${formatAmount(balance.wei)}${balance.isLow ? ' (low)' : ''} at ${balance.at}`],
    ['runway', balance && presentRunway(balance)],
    ['key', lane.key && `${lane.key.source}: ${lane.key.place}`],
    ['can sign', lane.key && (lane.key.canSign ? 'yes' : `no: ${lane.key.problem} (since ${lane.key.since})`)],
    ['last signed', lane.lastSignedAt],
    ['last confirmation', lane.lastConfirmationAt],
    ['last mined', lane.lastNonceMovementAt],
    ['owner', lease && `${lease.node}, fence ${lease.fence}${lease.live ? '' : ', expired'}`],
    ...Object.entries(policy).map(([name, value]): Field => [`policy ${name}`, value === null ? 'none' : value]),
  ]
  return [presentFields(fields, style), ...lane.problems.map((problem) => presentProblem(problem, style))].join('\n\n')
}

function presentRunway({ runway, txCost }: NonNullable<Lane['balance']>): string {
  if (runway === null || txCost === null) return 'unknown'
  return `${runway} transactions at ${formatAmount(txCost)} each`
}

function presentProblem({ level, message, action, since }: Lane['problems'][number], style: Style): string {
  const head = style.paint(level === 'bad' ? 'red' : 'yellow', `! ${toVisible(message)}`)
  return `${head}\n  What to do: ${toVisible(action)}\n  since ${since}`
}
