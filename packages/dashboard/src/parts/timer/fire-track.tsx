/** The next fires along a line of blocks. */
import { useContext } from 'preact/hooks'
import type { ChainResource } from '../../api/api-resources.ts'
import { formatCount } from '../../format/format-amount.ts'
import { Service } from '../../live/service.ts'
import { useResource } from '../../live/use-resource.ts'
import { nameChain } from '../../words/chain-names.ts'
import { findUpcoming, type UpcomingFire } from '../../words/upcoming-fires.ts'

const SHOWN = 10
const NAMES_SHOWN = 2

/** Nothing where no timer fires by height. */
export function FireTrack({ chains }: { readonly chains: readonly ChainResource[] }) {
  const { api } = useContext(Service)
  const active = useResource('active timers', () => api.listTimers('ACTIVE', null))
  if (active.type !== 'ready') return null
  const heads = new Map(chains.flatMap(({ chainId, head }) => (head === null ? [] : [[chainId, head.number] as const])))
  const fires = findUpcoming(active.value.items, heads, SHOWN)
  if (fires.length === 0) return null
  return (
    <section class="panel" aria-labelledby="upcoming-title">
      <div class="panel-head">
        <h2 id="upcoming-title">Upcoming fires</h2>
        {active.value.next !== null && (
          <span class="muted">of the newest {active.value.items.length} active timers</span>
        )}
      </div>
      <ol class="track">
        {fires.map((fire) => (
          <TrackItem key={`${fire.chainId} ${fire.height}`} fire={fire} isOnlyChain={chains.length === 1} />
        ))}
      </ol>
    </section>
  )
}

function TrackItem({ fire, isOnlyChain }: { readonly fire: UpcomingFire; readonly isOnlyChain: boolean }) {
  const { chainId, height, inBlocks, names } = fire
  const more = names.length - NAMES_SHOWN
  return (
    <li class={`track-item ${inBlocks <= 1 ? 'is-near' : ''}`}>
      <strong class="figure">
        {inBlocks <= 0 ? 'due now' : inBlocks === 1 ? 'next block' : `in ${formatCount(inBlocks)} blocks`}
      </strong>
      <span class="muted figure">
        {isOnlyChain ? '' : `${nameChain(chainId)} `}block {formatCount(height)}
      </span>
      <span title={names.join(', ')}>
        {names.slice(0, NAMES_SHOWN).join(', ')}
        {more > 0 && ` and ${formatCount(more)} more`}
      </span>
    </li>
  )
}
