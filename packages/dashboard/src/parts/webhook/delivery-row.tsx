/** One delivery. Opened, it shows what was sent and what came back. */
import { useContext, useState } from 'preact/hooks'
import type { DeliveryResource, EventResource } from '../../api/api-resources.ts'
import { formatCount } from '../../format/format-amount.ts'
import { Service } from '../../live/service.ts'
import { useAct } from '../../live/use-act.ts'
import { formHash } from '../../pages/route.ts'
import { announce } from '../announcer.tsx'
import { Age, Clock } from '../figures.tsx'

const TONES = { PENDING: '', DELIVERED: 'is-good', FAILED: 'is-bad' } as const
const NAMES = { PENDING: 'pending', DELIVERED: 'delivered', FAILED: 'failed' } as const

export function DeliveryRow({ delivery }: { readonly delivery: DeliveryResource }) {
  const { api } = useContext(Service)
  const { isBusy, problem, act } = useAct()
  const { id, webhookId, type, state, attempts, lastAttempt, createdAt, transactionId } = delivery

  async function resend(): Promise<void> {
    if ((await act(() => api.redeliver(webhookId, id))) !== null) announce('Sending it again')
  }

  return (
    <li class="delivery">
      <details>
        <summary>
          <span class={`tag ${TONES[state]}`}>{NAMES[state]}</span>
          <code>{type}</code>
          <span class="delivery-result muted">{describeAttempt(lastAttempt)}</span>
          <span class="muted figure">
            {attempts > 1 && `${formatCount(attempts)} attempts, `}
            <Age at={createdAt} />
          </span>
        </summary>
        <div class="delivery-body">
          {transactionId !== null && (
            <p>
              About <a href={formHash({ page: 'transaction', key: transactionId })}>this transaction</a>.
            </p>
          )}
          {delivery.dueAt !== null && (
            <p>
              Next attempt at <Clock at={delivery.dueAt} />.
            </p>
          )}
          <Payload eventId={delivery.eventId} />
          <h3>Response</h3>
          <pre class="code-block">{lastAttempt?.response ?? lastAttempt?.error ?? 'none'}</pre>
          <button type="button" class="button is-small" disabled={isBusy} onClick={resend}>
            Send it again
          </button>
          {problem !== null && (
            <p class="outcome is-bad" role="alert">
              {problem}
            </p>
          )}
        </div>
      </details>
    </li>
  )
}

function describeAttempt(last: DeliveryResource['lastAttempt']): string {
  if (last === null) return 'not sent yet'
  return `${last.status ?? last.error ?? 'no response'} in ${formatCount(last.durationMs)} ms`
}

/** Read when it is asked for: few of them are ever looked at. */
function Payload({ eventId }: { readonly eventId: number | null }) {
  const { api } = useContext(Service)
  const { isBusy, problem, act } = useAct()
  const [event, setEvent] = useState<EventResource | null | 'unread'>('unread')
  if (eventId === null) return null
  if (event !== 'unread') {
    const payload = event && { type: event.type, timestamp: event.at, data: event }
    return (
      <>
        <h3>Payload</h3>
        <pre class="code-block">{payload === null ? 'no longer kept' : JSON.stringify(payload, null, 2)}</pre>
      </>
    )
  }
  return (
    <p>
      <button
        type="button"
        class="button is-small"
        disabled={isBusy}
        onClick={async () => {
          const found = await act(async () => ({ event: await api.findEvent(eventId) }))
          if (found !== null) setEvent(found.event)
        }}
      >
        Show the payload
      </button>{' '}
      {problem}
    </p>
  )
}
