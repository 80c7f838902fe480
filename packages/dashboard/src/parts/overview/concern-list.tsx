/** What needs attention, on top of everything else; nothing at all where nothing does. */
import { useContext, useId, useRef, useState } from 'preact/hooks'
import { ApiProblem } from '../../api/api-failure.ts'
import type { List } from '../../api/list.ts'
import type { Overview } from '../../live/overview.ts'
import { Service } from '../../live/service.ts'
import { useResource } from '../../live/use-resource.ts'
import { later } from '../../pages/later.tsx'
import { TO_APPROVE, toFilter } from '../../pages/route.ts'
import {
  type Concern,
  findApprovalConcerns,
  findConcerns,
  findWebhookConcerns,
  type Remedy,
} from '../../words/concerns.ts'
import { CodedText } from '../coded-text.tsx'
import { AlertIcon } from '../icons.tsx'
import { TimedText } from '../timed-text.tsx'

const RemedyPanel = later(async () => (await import('./remedy-panel.tsx')).RemedyPanel)

const REMEDY_NAMES: Readonly<Record<Remedy['type'], string>> = {
  transaction: 'Act',
  top_up: 'Top up',
  fee_limit: 'Raise the limit',
  release: 'Release',
  resume: 'Resume',
  fill_gap: 'Fill the gap',
  turn_on: 'Turn on',
}

/** The rest is one click away: on a phone the page stays short. */
const SHOWN = 6
const EVERY_MS = 10_000
const COUNTED_APPROVALS = 20

export function ConcernList({ overview: { readiness, lanes, chains } }: { readonly overview: Overview }) {
  const { api } = useContext(Service)
  const webhooks = useNowAndThen('overview webhooks', () => api.listWebhooks())
  const unapproved = useNowAndThen('overview approvals', () =>
    api.listTransactions({ ...toFilter(TO_APPROVE), after: null, limit: COUNTED_APPROVALS }),
  )
  const concerns = [
    ...findConcerns(readiness, lanes, chains),
    ...findApprovalConcerns(unapproved, COUNTED_APPROVALS),
    ...findWebhookConcerns(webhooks),
  ]
  if (concerns.length === 0) return null
  const [first, rest] = [concerns.slice(0, SHOWN), concerns.slice(SHOWN)]
  return (
    <section class="concerns" aria-label="Needs a person">
      <ul>
        {first.map((concern) => (
          <ConcernItem key={concern.id} concern={concern} />
        ))}
      </ul>
      {rest.length > 0 && (
        <details>
          <summary>{rest.length} more</summary>
          <ul>
            {rest.map((concern) => (
              <ConcernItem key={concern.id} concern={concern} />
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}

function ConcernItem({ concern }: { readonly concern: Concern }) {
  const { level, text, action, runbook, href, remedy } = concern
  const [isOpen, setOpen] = useState(false)
  const panelId = useId()
  return (
    <li class={`concern is-${level}`}>
      <div class="concern-head">
        <AlertIcon />
        <div class="concern-text">
          <p>
            <TimedText text={text} />
          </p>
          {action !== null && (
            <p class="concern-action">
              <CodedText text={action} />
            </p>
          )}
          {runbook !== null && (
            <p class="concern-action">
              Runbook: <code>{runbook}</code>
            </p>
          )}
        </div>
        <div class="concern-ways">
          {remedy !== null && (
            <button
              type="button"
              class="button is-small"
              aria-expanded={isOpen}
              aria-controls={panelId}
              onClick={() => setOpen(!isOpen)}
            >
              {REMEDY_NAMES[remedy.type]}
              <span class="sr-only">: {text}</span>
            </button>
          )}
          {href !== null && (
            <a class="concern-open" href={href}>
              Open<span class="sr-only">: {text}</span>
            </a>
          )}
        </div>
      </div>
      {remedy !== null && isOpen && (
        <div class="concern-remedy" id={panelId}>
          <RemedyPanel remedy={remedy} onDone={() => setOpen(false)} />
        </div>
      )}
    </li>
  )
}

/** Asked for now and then, and not again where the key of this tab may not see them. */
function useNowAndThen<T>(key: string, load: () => Promise<List<T>>): readonly T[] {
  const asked = useRef(0)
  const list = useResource(key, async (previous: readonly T[] | null) => {
    if (previous !== null && Date.now() - asked.current < EVERY_MS) return previous
    asked.current = Date.now()
    try {
      return (await load()).items
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error
      asked.current = Number.POSITIVE_INFINITY
      return []
    }
  })
  return list.type === 'ready' ? list.value : []
}
