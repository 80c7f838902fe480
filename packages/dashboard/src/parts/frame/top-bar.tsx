/** The bar on top: the search, the chains with their heads moving, and whether the service is fit for work. */
import type { ChainResource, Readiness as ReadinessResource } from '../../api/api-resources.ts'
import { formatCount } from '../../format/format-amount.ts'
import type { Overview } from '../../live/overview.ts'
import { usePulseStatus } from '../../live/use-pulse-status.ts'
import type { Resource } from '../../live/use-resource.ts'
import { nameChain } from '../../words/chain-names.ts'
import { nameChainState } from '../../words/chain-states.ts'
import { Age } from '../figures.tsx'
import { SearchIcon } from '../icons.tsx'
import { openPalette } from '../palette/command-palette.tsx'

const IS_MAC = /Mac|iPhone|iPad/.test(navigator.userAgent)

export function TopBar({ overview }: { readonly overview: Resource<Overview> }) {
  const known = overview.type === 'ready' ? overview.value : null
  const status = usePulseStatus()
  return (
    <header class={`top-bar ${status.type === 'away' ? 'is-away' : ''}`}>
      <ul class="heads" aria-label="Chains">
        {known?.chains.map((chain) => (
          <Head key={chain.chainId} chain={chain} />
        ))}
      </ul>
      <button type="button" class="search-button" onClick={openPalette} aria-keyshortcuts="Control+K Meta+K">
        <SearchIcon />
        <span>Search</span>
        <kbd>{IS_MAC ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      <Readiness isAway={status.type === 'away'} readiness={known?.readiness ?? null} />
    </header>
  )
}

function Head({ chain }: { readonly chain: ChainResource }) {
  const { head, health } = chain
  const isWell = health.state === 'ok'
  return (
    <li class={`head ${isWell ? 'is-followed' : 'is-lost'}`} title={health.message ?? `Chain id ${chain.chainId}`}>
      <span class="head-dot" key={head?.number} aria-hidden="true" />
      <span class="head-name">{nameChain(chain.chainId)}</span>
      {head === null ? (
        <span class="muted">no block yet</span>
      ) : (
        <>
          <span class="head-number figure">{formatCount(head.number)}</span>
          <span class="muted head-age">
            <Age at={head.timestamp} />
          </span>
        </>
      )}
      {!isWell && <span class="head-lost">{nameChainState(health.state)}</span>}
    </li>
  )
}

function Readiness({ isAway, readiness }: { readonly isAway: boolean; readonly readiness: ReadinessResource | null }) {
  if (isAway) return <span class="readiness is-away">No response</span>
  if (readiness === null) return <span class="readiness is-unknown">Connecting</span>
  if (!readiness.ready) return <span class="readiness is-unready">Not ready</span>
  // The service works, but something in its care does not.
  if (readiness.problems.length > 0) return <span class="readiness is-warned">Needs attention</span>
  return <span class="readiness is-ready">Ready</span>
}
