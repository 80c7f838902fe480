/** API keys: what each may do, where, and when it was last used. */
import { useContext } from 'preact/hooks'
import type { ApiKeyResource } from '../../api/api-resources.ts'
import { formatCount } from '../../format/format-amount.ts'
import { Service } from '../../live/service.ts'
import { nameChain } from '../../words/chain-names.ts'
import { ConfirmButton } from '../confirm-button.tsx'
import { Age, Ago, Clock } from '../figures.tsx'

export function KeyTable({ items }: { readonly items: readonly ApiKeyResource[] }) {
  return (
    <table class="table key-table">
      <thead>
        <tr>
          <th scope="col">Key</th>
          <th scope="col">Scopes</th>
          <th scope="col">Reach</th>
          <th scope="col" class="is-number">
            Last used
          </th>
          <th scope="col">State</th>
        </tr>
      </thead>
      <tbody>
        {items.map((key) => (
          <KeyRow key={key.id} apiKey={key} />
        ))}
      </tbody>
    </table>
  )
}

function KeyRow({ apiKey }: { readonly apiKey: ApiKeyResource }) {
  const { api } = useContext(Service)
  const { id, name, tenant, scopes, lastUsedAt, revokedAt, expiresAt } = apiKey
  return (
    <tr class={revokedAt === null ? '' : 'is-left'}>
      <th scope="row" data-label="Key">
        {name} <span class="mono muted">{id}</span>
        {tenant !== name && <span class="cell-note muted">tenant {tenant}</span>}
      </th>
      <td data-label="Scopes">
        {scopes.map((scope) => (
          <span class="tag" key={scope}>
            {scope}
          </span>
        ))}
      </td>
      <td data-label="Reach">{describeReach(apiKey)}</td>
      <td data-label="Last used" class="is-number">
        {lastUsedAt === null ? <span class="muted">never</span> : <Age at={lastUsedAt} />}
      </td>
      <td data-label="State">
        {revokedAt === null ? (
          <>
            {expiresAt !== null && (
              <span class="muted">
                until <Clock at={expiresAt} />{' '}
              </span>
            )}
            <ConfirmButton
              name="Revoke"
              effect={`Every node refuses requests with ${name} from now on. This cannot be undone.`}
              run={() => api.revokeApiKey(id)}
            />
          </>
        ) : (
          <span class="muted">
            revoked <Ago at={revokedAt} /> by {apiKey.revokedBy}
          </span>
        )}
      </td>
    </tr>
  )
}

function describeReach({ signers, chains, rate }: ApiKeyResource): string {
  const parts = [
    signers === null ? 'all signers' : `${formatCount(signers.length)} signers`,
    chains === null ? 'all chains' : chains.map(nameChain).join(', '),
    ...(rate === null ? [] : [`${formatCount(rate.perSecond)} items/s`]),
  ]
  return parts.join(', ')
}
