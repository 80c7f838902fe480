/** Every RPC endpoint: whether it is used, how far behind it is, and how it answers. */
import type { ChainResource, EndpointResource } from '../../api/api-resources.ts'
import { formatCount } from '../../format/format-amount.ts'
import { nameChain } from '../../words/chain-names.ts'
import { nameEndpointState } from '../../words/endpoint-states.ts'
import { Age } from '../figures.tsx'

export function EndpointTable({ chains }: { readonly chains: readonly ChainResource[] }) {
  const hasManyChains = chains.length > 1
  return (
    <table class="table endpoint-table">
      <thead>
        <tr>
          <th scope="col">Endpoint</th>
          {hasManyChains && <th scope="col">Chain</th>}
          <th scope="col">State</th>
          <th scope="col" class="is-number">
            Block
          </th>
          <th scope="col" class="is-number">
            Behind
          </th>
          <th scope="col" class="is-number">
            Errors
          </th>
          <th scope="col" class="is-number">
            Latency
          </th>
          <th scope="col">Last error</th>
        </tr>
      </thead>
      <tbody>
        {chains.flatMap(({ chainId, endpoints }) =>
          endpoints.map((endpoint) => (
            <EndpointRow
              key={`${chainId}:${endpoint.name}`}
              endpoint={endpoint}
              chainName={hasManyChains ? nameChain(chainId) : null}
            />
          )),
        )}
      </tbody>
    </table>
  )
}

interface EndpointRowProps {
  readonly endpoint: EndpointResource
  readonly chainName: string | null
}

function EndpointRow({ endpoint, chainName }: EndpointRowProps) {
  const { name, state, since, roles, inUse, head, lagBlocks, errorRate, latencyMs, callsPerSecond, lastError } =
    endpoint
  return (
    <tr>
      <th scope="row" data-label="Endpoint">
        <span class="mono">{name}</span>
        {inUse && <span class="tag">in use</span>}
        {roles.includes('private') && <span class="tag">private</span>}
        {roles.length === 1 && roles[0] !== 'private' && <span class="tag">{`${roles[0]} only`}</span>}
        {callsPerSecond !== null && <span class="tag is-warn">{`${callsPerSecond} calls/s`}</span>}
      </th>
      {chainName !== null && <td data-label="Chain">{chainName}</td>}
      <td data-label="State" title={`since ${since}`}>
        <span class={`tag ${state === 'healthy' ? '' : 'is-warn'}`}>{nameEndpointState(state)}</span>
      </td>
      <td data-label="Block" class="is-number">
        {head === null ? <span class="muted">unknown</span> : formatCount(head.number)}
      </td>
      <td data-label="Behind" class="is-number">
        <span class={lagBlocks === null || lagBlocks === 0 ? 'muted' : 'count'}>{lagBlocks ?? '–'}</span>
      </td>
      <td data-label="Errors" class="is-number">
        <span class={errorRate === null || errorRate === 0 ? 'muted' : 'count'}>
          {errorRate === null ? '–' : `${Math.round(errorRate * 100)} %`}
        </span>
      </td>
      <td data-label="Latency" class="is-number">
        {latencyMs === null ? <span class="muted">–</span> : `${formatCount(latencyMs)} ms`}
      </td>
      <td data-label="Last error">
        {lastError === null ? (
          <span class="muted">none</span>
        ) : (
          <>
            {lastError.message}{' '}
            <span class="muted">
              <Age at={lastError.at} />
            </span>
          </>
        )}
      </td>
    </tr>
  )
}
