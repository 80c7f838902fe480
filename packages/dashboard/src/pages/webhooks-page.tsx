/** Every webhook, and the form for a new one. */
import { useContext, useState } from 'preact/hooks'
import { Service } from '../live/service.ts'
import { useResource } from '../live/use-resource.ts'
import { Empty, Loaded } from '../parts/placeholders.tsx'
import { NewWebhook } from '../parts/webhook/new-webhook.tsx'
import { WebhookTable } from '../parts/webhook/webhook-table.tsx'
import { useTitle } from './use-route.ts'

export function WebhooksPage() {
  const { api } = useContext(Service)
  const webhooks = useResource('webhooks', () => api.listWebhooks())
  const [isAdding, setAdding] = useState(false)
  useTitle('Webhooks')
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
      {isAdding && <NewWebhook onDone={() => setAdding(false)} />}
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
