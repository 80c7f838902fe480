/** Webhooks as rows: where they lead, what they get, and whether deliveries arrive. */
import type { WebhookResource } from '../../api/api-resources.ts'
import { shortenAddress } from '../../format/shorten.ts'
import { formHash } from '../../pages/route.ts'
import { nameChain } from '../../words/chain-names.ts'
import { Age } from '../figures.tsx'

export function WebhookTable({ items }: { readonly items: readonly WebhookResource[] }) {
  return (
    <table class="table">
      <thead>
        <tr>
          <th scope="col">URL</th>
          <th scope="col">State</th>
          <th scope="col">Gets</th>
          <th scope="col" class="is-number">
            Created
          </th>
        </tr>
      </thead>
      <tbody>
        {items.map((webhook) => (
          <tr key={webhook.id}>
            <th scope="row" data-label="URL">
              <a href={formHash({ page: 'webhook', id: webhook.id })}>{webhook.url}</a>
              {webhook.description !== null && <span class="cell-note muted">{webhook.description}</span>}
            </th>
            <td data-label="State">
              <WebhookState webhook={webhook} />
            </td>
            <td data-label="Gets">{describeFilter(webhook)}</td>
            <td data-label="Created" class="is-number">
              <Age at={webhook.createdAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const WHY_OFF = {
  operator: 'off',
  gone: 'off: the receiver answered 410',
  failing: 'off: nothing arrived for too long',
} as const

export function WebhookState({ webhook: { enabled, disabled, failingSince } }: { readonly webhook: WebhookResource }) {
  if (!enabled) return <span class="tag is-warn">{disabled === null ? 'off' : WHY_OFF[disabled.reason]}</span>
  if (failingSince === null) return <span class="tag is-good">delivering</span>
  return (
    <span class="tag is-bad">
      failing for <Age at={failingSince} />
    </span>
  )
}

export function describeFilter({ types, chainId, from, completions }: WebhookResource): string {
  const what = types === null ? (completions ? 'final results' : 'all events') : types.join(', ')
  const where = chainId === null ? '' : ` on ${nameChain(chainId)}`
  return `${what}${where}${from === null ? '' : ` of ${shortenAddress(from)}`}`
}
