/** What needs attention, on top of everything else; nothing at all where nothing does. */
import { useContext, useId, useRef, useState } from 'preact/hooks'
import { ApiProblem } from '../../api/api-failure.ts'
import type { List } from '../../api/list.ts'
import type { Overview } from '../../live/overview.ts'
import { type Scope, useMay, useOffered } from '../../live/rights.ts'
import { Service } from '../../live/service.ts'
import { useResource } from '../../live/use-resource.ts'
import { later } from '../../pages/later.tsx'
import { TO_APPROVE, toFilter } from '../../pages/route.ts'
import {
  type Concern,
  findApprovalConcerns,
  findConcerns,
  findWebhookConcerns,
  nameLink,
  type Remedy,
} from '../../words/concerns.ts'
import { Refused } from '../allowed.tsx'
import { CodedText } from '../coded-text.tsx'
import { AlertIcon } from '../icons.tsx'
import { Opened } from '../opened.tsx'
import { TimedText } from '../timed-text.tsx'

const RemedyPanel = later(async () => (await import('./remedy-panel.tsx')).RemedyPanel)

/** What each is called, and the scope that it needs; null: none, or it differs and its own panel says so. */
const REMEDIES: Readonly<Record<Remedy['type'], { readonly name: string; readonly scope: Scope | null }>> = {
  transaction: { name: 'Choose an action', scope: null },
  top_up: { name: 'Top up', scope: null },
  fee_limit: { name: 'Raise the limit', scope: 'admin' },
  release: { name: 'Release', scope: 'operate' },
  resume: { name: 'Resume', scope: 'operate' },
  fill_gap: { name: 'Fill the gap', scope: 'operate' },
  turn_on: { name: 'Turn on', scope: 'admin' },
}

/** The rest is one click away: on a phone the page stays short. */
const SHOWN = 6
const EVERY_MS = 10_000
const COUNTED_APPROVALS = 20

export function ConcernList({ overview: { readiness, lanes, chains } }: { readonly overview: Overview }) {
  const { api } = useContext(Service)
  const maySeeWebhooks = useMay('admin')
  const webhooks = useNowAndThen(`overview webhooks ${maySeeWebhooks}`, async () =>
    maySeeWebhooks ? api.listWebhooks() : { items: [] },
  )
  const unapproved = useNowAndThen('overview approvals', () =>
    api.listTransactions({ ...toFilter(TO_APPROVE), after: null, limit: COUNTED_APPROVALS }),
  )
  const concerns = [
    ...findConcerns(readiness, lanes, chains),
    ...findApprovalConcerns(unapproved, COUNTED_APPROVALS),
    ...findWebhookConcerns(webhooks),
  ]
  const remedies = concerns.flatMap(({ remedy }) => remedy ?? [])
  const { offered, refused } = useOffered(remedies, scopeOfRemedy)
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
      <Refused what="Acting on this" why={refused} isSomeOffered={offered.length > 0} />
    </section>
  )
}

function scopeOfRemedy({ type }: Remedy): Scope {
  return REMEDIES[type].scope ?? 'read'
}

function ConcernItem({ concern }: { readonly concern: Concern }) {
  const { level, text, action, runbook, href } = concern
  const { offered } = useOffered(concern.remedy === null ? [] : [concern.remedy], scopeOfRemedy)
  const remedy = offered[0] ?? null
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
              {REMEDIES[remedy.type].name}
              <span class="sr-only">: {text}</span>
            </button>
          )}
          {href !== null && (
            <a class="concern-open" href={href}>
              {nameLink(href)}
              <span class="sr-only">: {text}</span>
            </a>
          )}
        </div>
      </div>
      {remedy !== null && isOpen && (
        <div class="concern-remedy" id={panelId}>
          <Opened onClose={() => setOpen(false)}>
            <RemedyPanel remedy={remedy} onDone={() => setOpen(false)} />
          </Opened>
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
