/** Every webhook, and the form for a new one. */
import { useContext, useState } from 'preact/hooks'
import { Service } from '../live/service.ts'
import { useResource } from '../live/use-resource.ts'
import { AllowedPage } from '../parts/allowed.tsx'
import { Opened } from '../parts/opened.tsx'
import { Empty, Loaded } from '../parts/placeholders.tsx'
import { NewWebhook } from '../parts/webhook/new-webhook.tsx'
import { WebhookTable } from '../parts/webhook/webhook-table.tsx'
import { useTitle } from './use-route.ts'

export function WebhooksPage() {
  useTitle('Webhooks')
  return (
    <AllowedPage title="Webhooks" scope="admin" what="Seeing and changing webhooks">
      <Webhooks />
    </AllowedPage>
  )
}

function Webhooks() {
  const { api } = useContext(Service)
  const webhooks = useResource('webhooks', () => api.listWebhooks())
  const [isAdding, setAdding] = useState(false)
  return (
    <>
      <div class="page-head">
        <h1>Webhooks</h1>
        <button
          type="button"
          class="button is-primary page-action"
          aria-expanded={isAdding}
          onClick={() => setAdding(!isAdding)}
        >
          New webhook
        </button>
      </div>
      {isAdding && (
        <Opened onClose={() => setAdding(false)}>
          <NewWebhook onDone={() => setAdding(false)} />
        </Opened>
      )}
      <section class="panel" aria-label="Webhooks">
        <Loaded resource={webhooks}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty title="No webhooks yet">
                Drover posts events to a URL of yours, signed, in order for each transaction, and again until it is
                answered with 2xx.
              </Empty>
            ) : (
              <WebhookTable items={items} />
            )
          }
        </Loaded>
      </section>
    </>
  )
}
