/** One webhook: its state, what can be done to it, and what was delivered. */
import { useContext, useState } from 'preact/hooks'
import type { WebhookResource } from '../api/api-resources.ts'
import { formatCount } from '../format/format-amount.ts'
import { Service } from '../live/service.ts'
import { useAct } from '../live/use-act.ts'
import { useResource } from '../live/use-resource.ts'
import { AllowedPage } from '../parts/allowed.tsx'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { Fact, Facts } from '../parts/facts.tsx'
import { Clock } from '../parts/figures.tsx'
import { Loaded } from '../parts/placeholders.tsx'
import { SecretBox } from '../parts/secret-box.tsx'
import { DeliveryPanel } from '../parts/webhook/delivery-panel.tsx'
import { describeFilter, WebhookState } from '../parts/webhook/webhook-table.tsx'
import { formHash } from './route.ts'
import { useTitle } from './use-route.ts'

export function WebhookPage({ id }: { readonly id: string }) {
  useTitle('Webhook')
  return (
    <>
      <p class="back-link">
        <a href={formHash({ page: 'webhooks' })}>← Webhooks</a>
      </p>
      <AllowedPage title="Webhook" scope="admin" what="Seeing and changing webhooks">
        <Webhook id={id} />
      </AllowedPage>
    </>
  )
}

function Webhook({ id }: { readonly id: string }) {
  const { api } = useContext(Service)
  const webhook = useResource(`webhook ${id}`, () => api.getWebhook(id))
  return (
    <Loaded resource={webhook}>
      {(known) => (
        <>
          <div class="page-head">
            <h1 class="is-long">{known.url}</h1>
            <WebhookState webhook={known} />
          </div>
          <WebhookFacts webhook={known} />
          <WebhookActions webhook={known} />
          <DeliveryPanel webhookId={id} />
        </>
      )}
    </Loaded>
  )
}

function WebhookFacts({ webhook }: { readonly webhook: WebhookResource }) {
  return (
    <section class="panel" aria-label="Webhook">
      <Facts>
        {webhook.description !== null && <Fact name="For">{webhook.description}</Fact>}
        <Fact name="Gets">{describeFilter(webhook)}</Fact>
        <Fact name="Delivers up to">event {formatCount(webhook.plannedTo)}</Fact>
        <Fact name="Created">
          <Clock at={webhook.createdAt} /> <span class="muted">by {webhook.createdBy}</span>
        </Fact>
        {webhook.disabled !== null && (
          <Fact name="Off since">
            <Clock at={webhook.disabled.at} />
          </Fact>
        )}
        {webhook.previousSecretUntil !== null && (
          <Fact name="Old secret until">
            <Clock at={webhook.previousSecretUntil} />
          </Fact>
        )}
      </Facts>
    </section>
  )
}

function WebhookActions({ webhook }: { readonly webhook: WebhookResource }) {
  const { api } = useContext(Service)
  const { isBusy, problem, act } = useAct()
  const [secret, setSecret] = useState<string | null>(null)
  const { id, enabled } = webhook

  async function rotate(): Promise<void> {
    const changed = await api.changeWebhook(id, { rotateSecret: true })
    setSecret(changed.secret ?? null)
  }

  return (
    <div class="toolbar">
      <button type="button" class="button is-small" disabled={isBusy} onClick={() => act(() => api.testWebhook(id))}>
        Send a test
      </button>
      {enabled ? (
        <ConfirmButton
          name="Turn off"
          effect="Deliveries stop. Events are kept and delivered when it is turned on again."
          run={() => api.changeWebhook(id, { enabled: false })}
        />
      ) : (
        <button
          type="button"
          class="button is-small"
          disabled={isBusy}
          onClick={() => act(() => api.changeWebhook(id, { enabled: true }))}
        >
          Turn on
        </button>
      )}
      <ConfirmButton
        name="Rotate secret"
        effect="Makes a new secret. For a while deliveries are signed with both, so the receiver can change over."
        run={rotate}
      />
      <ConfirmButton
        name="Delete"
        effect="Deletes the webhook and the record of its deliveries. This cannot be undone."
        run={async () => {
          await api.deleteWebhook(id)
          location.hash = formHash({ page: 'webhooks' })
        }}
      />
      {problem !== null && (
        <p class="outcome is-bad" role="alert">
          {problem}
        </p>
      )}
      {secret !== null && <SecretBox what="signing secret" secret={secret} onDone={() => setSecret(null)} />}
    </div>
  )
}
