/** Which node holds the lease of each lane, under which fence, and until when. */
import type { LaneResource, NodeResource } from '../../api/api-resources.ts'
import { formatCount } from '../../format/format-amount.ts'
import { formatAge } from '../../format/format-time.ts'
import { shortenAddress, shortenId } from '../../format/shorten.ts'
import { useNow } from '../../live/use-now.ts'
import { formHash } from '../../pages/route.ts'
import { nameChain } from '../../words/chain-names.ts'
import { Empty } from '../placeholders.tsx'

interface LeaseTableProps {
  readonly lanes: readonly LaneResource[]
  readonly nodes: readonly NodeResource[]
}

export function LeaseTable({ lanes, nodes }: LeaseTableProps) {
  if (lanes.length === 0) return <Empty title="No signers, so no leases" />
  const self = nodes.find((node) => node.self)?.id
  return (
    <table class="table lease-table">
      <thead>
        <tr>
          <th scope="col">Signer</th>
          <th scope="col">Chain</th>
          <th scope="col">Node</th>
          <th scope="col" class="is-number">
            Fence
          </th>
          <th scope="col" class="is-number">
            Lease ends in
          </th>
        </tr>
      </thead>
      <tbody>
        {lanes.map(({ address, label, chainId, lease }) => (
          <tr key={`${chainId}:${address}`}>
            <th scope="row" data-label="Signer">
              <a href={formHash({ page: 'signer', address, after: null })}>
                {label ?? <span class="mono">{shortenAddress(address)}</span>}
              </a>
            </th>
            <td data-label="Chain">{nameChain(chainId)}</td>
            <td data-label="Node">
              {lease === null ? (
                <span class="muted">none yet</span>
              ) : (
                <span class="mono" title={lease.node}>
                  {shortenId(lease.node)}
                </span>
              )}
              {lease !== null && lease.node === self && <span class="tag">this page</span>}
              {lease?.live === false && <span class="tag is-warn">expired</span>}
            </td>
            <td data-label="Fence" class="is-number">
              {lease === null ? <span class="muted">–</span> : formatCount(lease.fence)}
            </td>
            <td data-label="Lease ends in" class="is-number">
              {lease === null ? <span class="muted">–</span> : <Left at={lease.expiresAt} />}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Left({ at }: { readonly at: string }) {
  const ms = Date.parse(at) - useNow()
  return (
    <time class="figure" dateTime={at} title={at}>
      {ms <= 0 ? 'ended' : formatAge(Math.max(1_000, ms))}
    </time>
  )
}
