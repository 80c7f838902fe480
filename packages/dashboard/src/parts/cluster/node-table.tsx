/** The live nodes: when each started, when it last reported, and what it runs. */
import type { NodeResource } from '../../api/api-resources.ts'
import { formatCount } from '../../format/format-amount.ts'
import { shortenId } from '../../format/shorten.ts'
import { nameChain } from '../../words/chain-names.ts'
import { Copyable } from '../copyable.tsx'
import { Age } from '../figures.tsx'

export function NodeTable({ nodes }: { readonly nodes: readonly NodeResource[] }) {
  return (
    <table class="table node-table">
      <thead>
        <tr>
          <th scope="col">Node</th>
          <th scope="col">Address</th>
          <th scope="col">Reaches</th>
          <th scope="col" class="is-number">
            Signers
          </th>
          <th scope="col" class="is-number">
            Running for
          </th>
          <th scope="col" class="is-number">
            Last report
          </th>
        </tr>
      </thead>
      <tbody>
        {nodes.map((node) => (
          <tr key={node.id}>
            <th scope="row" data-label="Node">
              <Copyable text={node.id} shown={shortenId(node.id)} what="node id" />
              {node.self && <span class="tag">this page</span>}
            </th>
            <td data-label="Address" class="mono">
              {node.address ?? <span class="muted">none</span>}
            </td>
            <td data-label="Reaches">
              {node.chains === null ? <span class="muted">unknown</span> : node.chains.map(nameChain).join(', ')}
            </td>
            <td data-label="Signers" class="is-number">
              {formatCount(node.lanes)}
            </td>
            <td data-label="Running for" class="is-number">
              <Age at={node.startedAt} />
            </td>
            <td data-label="Last report" class="is-number">
              <Age at={node.heartbeatAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
