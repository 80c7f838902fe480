/** The newest events of all lanes, as they happen. */
import { useContext, useMemo } from 'preact/hooks'
import type { EventResource } from '../api/api-resources.ts'
import { shortenAddress } from '../format/shorten.ts'
import { createEventFeed } from '../live/event-feed.ts'
import { Service } from '../live/service.ts'
import { useResource } from '../live/use-resource.ts'
import { formHash } from '../pages/route.ts'
import { describeEvent } from '../words/describe-event.ts'
import { Age } from './figures.tsx'
import { Empty, Loaded } from './placeholders.tsx'

const SHOWN = 30

export function ActivityPanel() {
  const { api } = useContext(Service)
  const feed = useMemo(() => createEventFeed({ api }), [api])
  const events = useResource('activity', () => feed.advance())
  return (
    <section class="panel" aria-labelledby="activity-title">
      <div class="panel-head">
        <h2 id="activity-title">Activity</h2>
      </div>
      <Loaded resource={events} rows={5}>
        {(items) =>
          items.length === 0 ? (
            <Empty title="No activity yet" />
          ) : (
            <ol class="activity">
              {items.slice(0, SHOWN).map((event) => (
                <ActivityEntry key={event.eventId} event={event} />
              ))}
            </ol>
          )
        }
      </Loaded>
    </section>
  )
}

function ActivityEntry({ event }: { readonly event: EventResource }) {
  const { title, detail, tone } = describeEvent(event)
  const { transactionId } = event
  return (
    <li class={`activity-entry is-${tone}`}>
      <span class="tone-dot" aria-hidden="true" />
      <div class="activity-text">
        {transactionId === null ? title : <a href={formHash({ page: 'transaction', key: transactionId })}>{title}</a>}
        <span class="muted activity-from">
          <span class="mono">{shortenAddress(event.from)}</span>
          {detail !== null && ` ${detail}`}
        </span>
      </div>
      <span class="muted activity-age">
        <Age at={event.lastAt} />
      </span>
    </li>
  )
}
