/** Everything that happened to a transaction, oldest first; what repeated itself is one entry with a count. */
import { useContext, useState } from 'preact/hooks'
import type { HistoryPage } from '../../api/api-client.ts'
import { ServiceAway } from '../../api/api-failure.ts'
import type { EventResource } from '../../api/api-resources.ts'
import { formatCount } from '../../format/format-amount.ts'
import { shortenId } from '../../format/shorten.ts'
import { joinPages } from '../../live/join-pages.ts'
import { Service } from '../../live/service.ts'
import { describeEvent } from '../../words/describe-event.ts'
import { STATE_NAMES } from '../../words/state-words.ts'
import { Clock } from '../figures.tsx'
import { Empty } from '../placeholders.tsx'

interface HistoryListProps {
  readonly txId: string
  /** Read again at every beat; earlier entries never change and are read once. */
  readonly newest: HistoryPage
}

export function HistoryList({ txId, newest }: HistoryListProps) {
  const { api } = useContext(Service)
  const [before, setBefore] = useState<HistoryPage | null>(null)
  const [isLoading, setLoading] = useState(false)
  const { entries: history, earlier } = joinPages(before, newest)

  async function showEarlier(cursor: number): Promise<void> {
    setLoading(true)
    try {
      const page = await api.readHistory(txId, cursor)
      setBefore({ entries: [...page.entries, ...history], earlier: page.earlier })
    } catch (error) {
      // The banner says that the service is unreachable; the button stays.
      if (!(error instanceof ServiceAway)) throw error
    } finally {
      setLoading(false)
    }
  }

  return (
    <section class="panel" aria-labelledby="history-title">
      <div class="panel-head">
        <h2 id="history-title">History</h2>
        <span class="muted">{history.length}</span>
      </div>
      {history.length === 0 ? (
        <Empty title="No entries" />
      ) : (
        <>
          {earlier !== null && (
            <button type="button" class="button" disabled={isLoading} onClick={() => void showEarlier(earlier)}>
              Show earlier entries
            </button>
          )}
          <ol class="history">
            {history.map((event) => (
              <HistoryEntry key={event.eventId} event={event} />
            ))}
          </ol>
        </>
      )}
    </section>
  )
}

function HistoryEntry({ event }: { readonly event: EventResource }) {
  const { title, detail, tone } = describeEvent(event)
  const { fromState, toState, node, fence, count } = event
  const stateName = toState === null || fromState === toState ? null : STATE_NAMES[toState]
  // Avoids "Stuck → Stuck".
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
