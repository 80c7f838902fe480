/** Each chain with its head, its finality line and the age of both. */
import type { ChainResource } from '../../api/api-resources.ts'
import { formatCount } from '../../format/format-amount.ts'
import { nameChain } from '../../words/chain-names.ts'
import { nameChainState } from '../../words/chain-states.ts'
import { Age } from '../figures.tsx'

export function ChainTable({ chains }: { readonly chains: readonly ChainResource[] }) {
  return (
    <table class="table chain-table">
      <thead>
        <tr>
          <th scope="col">Chain</th>
          <th scope="col">Health</th>
          <th scope="col" class="is-number">
            Head
          </th>
          <th scope="col" class="is-number">
            Age
          </th>
          <th scope="col" class="is-number">
            Safe
          </th>
          <th scope="col" class="is-number">
            Finalized
          </th>
          <th scope="col">Final after</th>
        </tr>
      </thead>
      <tbody>
        {chains.map((chain) => (
          <ChainRow key={chain.chainId} chain={chain} />
        ))}
      </tbody>
    </table>
  )
}

function ChainRow({ chain: { chainId, head, safe, finalized, finality, health } }: { readonly chain: ChainResource }) {
  return (
    <tr>
      <th scope="row" data-label="Chain">
        {nameChain(chainId)} <span class="muted">{chainId}</span>
      </th>
      <td data-label="Health" title={health.message ?? ''}>
        <span class={`tag ${health.state === 'ok' ? 'is-good' : 'is-warn'}`}>{nameChainState(health.state)}</span>
      </td>
      <td data-label="Head" class="is-number">
        {head === null ? <span class="muted">none yet</span> : formatCount(head.number)}
      </td>
      <td data-label="Age" class="is-number">
        {head === null ? <span class="muted">–</span> : <Age at={head.timestamp} />}
      </td>
      <td data-label="Safe" class="is-number">
        <Behind head={head?.number ?? null} block={safe} />
      </td>
      <td data-label="Finalized" class="is-number">
        <Behind head={head?.number ?? null} block={finalized} />
      </td>
      <td data-label="Final after">
        {typeof finality === 'number' ? `${formatCount(finality)} confirmations` : `the ${finality} block`}
      </td>
    </tr>
  )
}

/** A block, and how far it is behind the head. */
function Behind({ head, block }: { readonly head: number | null; readonly block: number | null }) {
  if (block === null) return <span class="muted">not known</span>
  return (
    <>
      {formatCount(block)}
      {head !== null && <span class="muted"> −{formatCount(Math.max(0, head - block))}</span>}
    </>
  )
}
