/** Timers: which fire next and in what order, and all of them. */

import { useContext, useState } from 'preact/hooks'
import type { Overview } from '../live/overview.ts'
import { Service } from '../live/service.ts'
import { type Resource, useResource } from '../live/use-resource.ts'
import { Allowed } from '../parts/allowed.tsx'
import { OlderNewest } from '../parts/older-newest.tsx'
import { Opened } from '../parts/opened.tsx'
import { Empty, Loaded } from '../parts/placeholders.tsx'
import { FireTrack } from '../parts/timer/fire-track.tsx'
import { NewTimerForm } from '../parts/timer/new-timer-form.tsx'
import { TimerQueue } from '../parts/timer/timer-queue.tsx'
import { TimerTable } from '../parts/timer/timer-table.tsx'
import { useTitle } from './use-route.ts'

export function TimersPage({ overview }: { readonly overview: Resource<Overview> }) {
  const { api } = useContext(Service)
  const [isAdding, setAdding] = useState(false)
  const [before, setBefore] = useState<string | null>(null)
  const timers = useResource(`timers ${before}`, () => api.listTimers(null, before))
  const known = overview.type === 'ready' ? overview.value : null
  useTitle('Timers')
  return (
    <>
      <div class="page-head">
        <h1>Timers</h1>
        <Allowed scope="send" what="Creating and changing timers">
          <button
            type="button"
            class="button is-primary page-action"
            aria-expanded={isAdding}
            disabled={known === null || known.lanes.length === 0}
            onClick={() => setAdding(!isAdding)}
          >
            New timer
          </button>
        </Allowed>
      </div>
      {isAdding && known !== null && (
        <Opened onClose={() => setAdding(false)}>
          <NewTimerForm lanes={known.lanes} onDone={() => setAdding(false)} />
        </Opened>
      )}
      {known?.chains.map(({ chainId }) => (
        <TimerQueue key={chainId} chainId={chainId} />
      ))}
      <FireTrack chains={known?.chains ?? []} />
      <section class="panel" aria-labelledby="timers-title">
        <div class="panel-head">
          <h2 id="timers-title">All timers</h2>
        </div>
        <Loaded resource={timers}>
          {({ items, next }) => (
            <>
              {items.length === 0 ? (
                <Empty title="No timers yet">
                  A timer makes a call at a block, every so many blocks, or when a contract logs an event. Each fire
                  becomes one managed transaction.
                </Empty>
              ) : (
                <TimerTable items={items} chains={known?.chains ?? []} />
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
    </>
  )
}
