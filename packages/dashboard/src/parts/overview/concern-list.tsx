/** What needs attention, on top of everything else; nothing at all where nothing does. */
import { useContext, useRef } from 'preact/hooks'
import { ApiProblem } from '../../api/api-failure.ts'
import type { WebhookResource } from '../../api/api-resources.ts'
import type { Overview } from '../../live/overview.ts'
import { Service } from '../../live/service.ts'
import { useResource } from '../../live/use-resource.ts'
import { type Concern, findConcerns, findWebhookConcerns } from '../../words/concerns.ts'
import { CodedText } from '../coded-text.tsx'
import { AlertIcon } from '../icons.tsx'
import { TimedText } from '../timed-text.tsx'

/** The rest is one click away: on a phone the page stays short. */
const SHOWN = 6
const WEBHOOKS_EVERY_MS = 10_000

export function ConcernList({ overview: { readiness, lanes, chains } }: { readonly overview: Overview }) {
  const webhooks = useWebhooks()
  const concerns = [...findConcerns(readiness, lanes, chains), ...findWebhookConcerns(webhooks)]
  if (concerns.length === 0) return null
  const [first, rest] = [concerns.slice(0, SHOWN), concerns.slice(SHOWN)]
  return (
    <section class="concerns" aria-label="Needs a person">
      <ul>
        {first.map((concern) => (
          <ConcernItem key={concern.text} concern={concern} />
        ))}
      </ul>
      {rest.length > 0 && (
        <details>
          <summary>{rest.length} more</summary>
          <ul>
            {rest.map((concern) => (
              <ConcernItem key={concern.text} concern={concern} />
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}

function ConcernItem({ concern: { level, text, action, href } }: { readonly concern: Concern }) {
  return (
    <li class={`concern is-${level}`}>
      <AlertIcon />
      <div>
        <p>
          <TimedText text={text} />
        </p>
        {action !== null && (
          <p class="concern-action">
            <CodedText text={action} />
          </p>
        )}
      </div>
      {href !== null && (
        <a class="concern-open" href={href}>
          Open<span class="sr-only">: {text}</span>
        </a>
      )}
    </li>
  )
}

/** Asked for now and then, and not again where the key of this tab may not see them. */
function useWebhooks(): readonly WebhookResource[] {
  const { api } = useContext(Service)
  const asked = useRef(0)
  const webhooks = useResource('overview webhooks', async (previous: readonly WebhookResource[] | null) => {
    if (previous !== null && Date.now() - asked.current < WEBHOOKS_EVERY_MS) return previous
    asked.current = Date.now()
    try {
      return (await api.listWebhooks()).items
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error
      asked.current = Number.POSITIVE_INFINITY
      return []
    }
  })
  return webhooks.type === 'ready' ? webhooks.value : []
}
