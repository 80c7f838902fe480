/** Everything that happened to a transaction, oldest first; what repeated itself is one entry with a count. */
import type { EventResource } from '../api/api-resources.ts'
import { formatCount } from '../format/format-amount.ts'
import { shortenId } from '../format/shorten.ts'
import { describeEvent } from '../words/describe-event.ts'
import { STATE_NAMES } from '../words/state-words.ts'
import { Clock } from './figures.tsx'
import { Empty } from './placeholders.tsx'

export function HistoryList({ history }: { readonly history: readonly EventResource[] }) {
  return (
    <section class="panel" aria-labelledby="history-title">
      <div class="panel-head">
        <h2 id="history-title">History</h2>
        <span class="muted">{history.length}</span>
      </div>
      {history.length === 0 ? (
        <Empty title="No entries" />
      ) : (
        <ol class="history">
          {history.map((event) => (
            <HistoryEntry key={event.eventId} event={event} />
          ))}
        </ol>
      )}
    </section>
  )
}

function HistoryEntry({ event }: { readonly event: EventResource }) {
  const { title, detail, tone } = describeEvent(event)
  const { fromState, toState, node, fence, count } = event
  const stateName = toState === null || fromState === toState ? null : STATE_NAMES[toState]
  // Not said twice: "Stuck → Stuck".
  const isNews = stateName !== null && !title.toLowerCase().includes(stateName.toLowerCase())
  return (
    <li class={`history-entry is-${tone}`}>
      <span class="tone-dot" aria-hidden="true" />
      <div>
        <p class="history-title">
          {title}
          {count > 1 && <span class="tag">× {formatCount(count)}</span>}
          {isNews && <span class="history-state">→ {stateName}</span>}
        </p>
        {detail !== null && <p class="history-detail">{detail}</p>}
        <p class="history-when">
          <Clock at={event.at} />
          {count > 1 && (
            <>
              {' to '}
              <Clock at={event.lastAt} />
            </>
          )}
          {node !== null && (
            <span title={`Node ${node}, fence ${fence ?? 'none'}`}>
              {' · node '}
              <span class="mono">{shortenId(node)}</span>
              {fence !== null && `, fence ${fence}`}
            </span>
          )}
        </p>
      </div>
    </li>
  )
}
