/** What is happening on all lanes: one line for each kind of thing, not one for each event. */
import { shortenAddress } from '../../format/shorten.ts'
import { useRecentEvents } from '../../live/use-recent-events.ts'
import { formHash } from '../../pages/route.ts'
import { type Activity, groupActivity, titleOf } from '../../words/group-activity.ts'
import { Age } from '../figures.tsx'
import { Freshness } from '../freshness.tsx'
import { Empty } from '../placeholders.tsx'

const SHOWN = 10

export function ActivityPanel() {
  const events = useRecentEvents()
  return (
    <section class="panel" aria-labelledby="activity-title">
      <div class="panel-head">
        <h2 id="activity-title">Activity</h2>
        <span class="panel-more">
          <Freshness isQuiet />
        </span>
      </div>
      {events.length === 0 ? (
        <Empty title="No activity yet">
          <a href={formHash({ page: 'send' })}>Send a transaction</a> and watch it here.
        </Empty>
      ) : (
        <ol class="activity">
          {groupActivity(events, SHOWN).map((activity) => (
            <ActivityEntry key={activity.key} activity={activity} />
          ))}
        </ol>
      )}
    </section>
  )
}

function ActivityEntry({ activity }: { readonly activity: Activity }) {
  const { words, from, transactionId, at } = activity
  const title = titleOf(activity)
  return (
    <li class={`activity-entry is-${words.tone}`}>
      <span class="tone-dot" aria-hidden="true" />
      <div class="activity-text">
        <a
          href={
            transactionId === null
              ? formHash({ page: 'transactions', group: 'all', from })
              : formHash({ page: 'transaction', key: transactionId })
          }
        >
          {title}
        </a>
        <span class="muted activity-from">
          <span class="mono">{shortenAddress(from)}</span>
          {words.detail !== null && ` ${words.detail}`}
        </span>
      </div>
      <span class="muted activity-age">
        <Age at={at} />
      </span>
    </li>
  )
}
