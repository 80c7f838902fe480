/** Each chain in one line: its head and how old that is, where final begins, and how many RPC endpoints are fit. */
import type { ChainResource } from '../../api/api-resources.ts'
import { formatCount } from '../../format/format-amount.ts'
import { formHash } from '../../pages/route.ts'
import { nameChain } from '../../words/chain-names.ts'
import { Age } from '../figures.tsx'

export function ChainList({ chains }: { readonly chains: readonly ChainResource[] }) {
  return (
    <ul class="chain-list">
      {chains.map((chain) => (
        <ChainItem key={chain.chainId} chain={chain} />
      ))}
    </ul>
  )
}

function ChainItem({ chain }: { readonly chain: ChainResource }) {
  const { chainId, head, health, endpoints } = chain
  const fit = endpoints.filter(({ state }) => state === 'healthy').length
  return (
    <li class={`chain-item ${health.state === 'ok' ? 'is-good' : 'is-bad'}`}>
      <span class="tone-dot" aria-hidden="true" />
      <div>
        <p>
          <strong>{nameChain(chainId)}</strong>{' '}
          {head === null ? (
            <span class="muted">no block yet</span>
          ) : (
            <span class="figure">
              {formatCount(head.number)}{' '}
              <span class="muted">
                <Age at={head.timestamp} />
              </span>
            </span>
          )}
        </p>
        <p class="muted">{describeFinality(chain)}</p>
      </div>
      <a class="chain-endpoints" href={formHash({ page: 'cluster' })}>
        {fit} of {endpoints.length} RPC
      </a>
    </li>
  )
}

function describeFinality({ head, finality, safe, finalized }: ChainResource): string {
  if (typeof finality === 'number') {
    const line = head === null ? '' : `, up to block ${formatCount(Math.max(0, head.number - finality))}`
    return `final after ${formatCount(finality)} ${finality === 1 ? 'confirmation' : 'confirmations'}${line}`
  }
  const block = finality === 'safe' ? safe : finalized
  if (block === null) return `final when ${finality}, not reported yet`
  const behind = head === null ? '' : `, ${formatCount(Math.max(0, head.number - block))} behind the head`
  return `final when ${finality}: block ${formatCount(block)}${behind}`
}
