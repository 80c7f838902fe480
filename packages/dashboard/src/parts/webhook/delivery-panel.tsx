/** What was sent to a webhook, newest first: the result of each, its payload and the response, and sending it again. */

import { useContext, useState } from 'preact/hooks'
import type { DeliveryResource } from '../../api/api-resources.ts'
import { Service } from '../../live/service.ts'
import { useResource } from '../../live/use-resource.ts'
import { OlderNewest } from '../older-newest.tsx'
import { Empty, Loaded } from '../placeholders.tsx'
import { DeliveryRow } from './delivery-row.tsx'

const STATES = ['PENDING', 'DELIVERED', 'FAILED'] as const
const NAMES = { PENDING: 'Pending', DELIVERED: 'Delivered', FAILED: 'Failed' } as const

export function DeliveryPanel({ webhookId }: { readonly webhookId: string }) {
  const { api } = useContext(Service)
  const [state, setState] = useState<DeliveryResource['state'] | null>(null)
  const [before, setBefore] = useState<number | null>(null)
  const page = useResource(`deliveries ${webhookId} ${state} ${before}`, () =>
    api.listDeliveries(webhookId, state, before),
  )

  function choose(next: DeliveryResource['state'] | null): void {
    setState(next)
    setBefore(null)
  }

  return (
    <section class="panel" aria-labelledby="deliveries-title">
      <div class="panel-head">
        <h2 id="deliveries-title">Deliveries</h2>
        <fieldset class="segments">
          <legend class="sr-only">Filter by state</legend>
          {[null, ...STATES].map((each) => (
            <button type="button" key={each} aria-pressed={each === state} onClick={() => choose(each)}>
              {each === null ? 'All' : NAMES[each]}
            </button>
          ))}
        </fieldset>
      </div>
      <Loaded resource={page}>
        {({ items, next }) => (
          <>
            {items.length === 0 ? (
              <Empty title={state === null ? 'Nothing was delivered yet' : 'None in this state'}>
                “Send a test” delivers an event now, to see whether it arrives.
              </Empty>
            ) : (
              <ul class="deliveries">
                {items.map((delivery) => (
                  <DeliveryRow key={delivery.id} delivery={delivery} />
                ))}
              </ul>
            )}
            <OlderNewest
              before={before}
              isLast={next === null}
              onNewest={() => setBefore(null)}
              onOlder={() => setBefore(next)}
            />
          </>
        )}
      </Loaded>
    </section>
  )
}
