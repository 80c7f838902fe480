/** The load of the whole service in a few numbers. */
import { formatCount } from '../../format/format-amount.ts'
import type { Overview } from '../../live/overview.ts'
import { formHash, type StateGroup } from '../../pages/route.ts'

export function Totals({ overview: { lanes, nodes } }: { readonly overview: Overview }) {
  const sum = (name: 'queued' | 'inFlight' | 'stuck') => lanes.reduce((total, lane) => total + lane[name], 0)
  return (
    <ul class="totals" aria-label="Totals">
      <Total name="Queued" count={sum('queued')} group="queued" />
      <Total name="In flight" count={sum('inFlight')} group="flight" />
      <Total name="Stuck" count={sum('stuck')} group="stuck" />
      <Total name={lanes.length === 1 ? 'Signer' : 'Signers'} count={lanes.length} />
      <Total name={nodes.length === 1 ? 'Node' : 'Nodes'} count={nodes.length} />
    </ul>
  )
}

function Total({ name, count, group }: { name: string; count: number; group?: StateGroup }) {
  const isAlarming = group === 'stuck' && count > 0
  const content = (
    <>
      <span class="total-count figure">{formatCount(count)}</span>
      <span class="total-name">{name}</span>
    </>
  )
  return (
    <li class={`total ${isAlarming ? 'is-alarming' : ''}`}>
      {group === undefined ? (
        <span class="total-body">{content}</span>
      ) : (
        <a class="total-body" href={formHash({ page: 'transactions', group, from: null })}>
          {content}
        </a>
      )}
    </li>
  )
}
