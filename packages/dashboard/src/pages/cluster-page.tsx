/** What Drover runs on: its nodes with their leases, the chains, and the RPC endpoints. */
import type { Overview } from '../live/overview.ts'
import type { Resource } from '../live/use-resource.ts'
import { ChainTable } from '../parts/cluster/chain-table.tsx'
import { EndpointTable } from '../parts/cluster/endpoint-table.tsx'
import { LeaseTable } from '../parts/cluster/lease-table.tsx'
import { NodeTable } from '../parts/cluster/node-table.tsx'
import { Loaded } from '../parts/placeholders.tsx'
import { useTitle } from './use-route.ts'

export function ClusterPage({ overview }: { readonly overview: Resource<Overview> }) {
  useTitle('Cluster')
  return (
    <>
      <div class="page-head">
        <h1>Cluster</h1>
      </div>
      <Loaded resource={overview} rows={8}>
        {({ nodes, chains, lanes }) => (
          <>
            <section class="panel" aria-labelledby="nodes-title">
              <div class="panel-head">
                <h2 id="nodes-title">Nodes</h2>
                <span class="muted">{nodes.length}</span>
              </div>
              <NodeTable nodes={nodes} />
            </section>
            <section class="panel" aria-labelledby="chains-title">
              <div class="panel-head">
                <h2 id="chains-title">Chains</h2>
              </div>
              <ChainTable chains={chains} />
            </section>
            <section class="panel" aria-labelledby="endpoints-title">
              <div class="panel-head">
                <h2 id="endpoints-title">RPC endpoints</h2>
                <span class="muted">as the node that serves this page sees them</span>
              </div>
              <EndpointTable chains={chains} />
            </section>
            <section class="panel" aria-labelledby="leases-title">
              <div class="panel-head">
                <h2 id="leases-title">Leases</h2>
                <span class="muted">which node runs which signer</span>
              </div>
              <LeaseTable lanes={lanes} nodes={nodes} />
            </section>
          </>
        )}
      </Loaded>
    </>
  )
}
