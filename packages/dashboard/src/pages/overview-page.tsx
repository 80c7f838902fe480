/** The state of the whole service: what needs a person, how much is under way, and what is happening. */
import type { LaneResource } from '../api/api-resources.ts'
import type { Overview } from '../live/overview.ts'
import type { Resource } from '../live/use-resource.ts'
import { ActivityPanel } from '../parts/overview/activity-panel.tsx'
import { ChainList } from '../parts/overview/chain-list.tsx'
import { Charts } from '../parts/overview/charts.tsx'
import { ConcernList } from '../parts/overview/concern-list.tsx'
import { Totals } from '../parts/overview/totals.tsx'
import { Loaded } from '../parts/placeholders.tsx'
import { LaneList } from '../parts/signer/lane-list.tsx'
import { formHash } from './route.ts'
import { useTitle } from './use-route.ts'

const SHOWN_SIGNERS = 8

export function OverviewPage({ overview }: { readonly overview: Resource<Overview> }) {
  const known = overview.type === 'ready' ? overview.value : null
  const stuck = known?.lanes.reduce((sum, lane) => sum + lane.stuck, 0) ?? 0
  // Readable from a tab that is not in front.
  useTitle(stuck > 0 ? `(${stuck} stuck)` : '')
  return (
    <>
      <h1 class="sr-only">Overview</h1>
      {known !== null && <ConcernList overview={known} />}
      {known !== null && <Totals overview={known} />}
      <Charts chains={known?.chains ?? []} />
      <div class="columns">
        <div class="column-main">
          <section class="panel" aria-labelledby="chains-title">
            <div class="panel-head">
              <h2 id="chains-title">Chains</h2>
            </div>
            <Loaded resource={overview} rows={1}>
              {({ chains }) => <ChainList chains={chains} />}
            </Loaded>
          </section>
          <section class="panel" aria-labelledby="signers-title">
            <div class="panel-head">
              <h2 id="signers-title">Signers</h2>
              <a class="panel-more" href={formHash({ page: 'signers' })}>
                {known === null || known.lanes.length <= SHOWN_SIGNERS ? 'All signers' : `All ${known.lanes.length}`}
              </a>
            </div>
            <Loaded resource={overview}>
              {({ lanes }) => <LaneList lanes={busiestFirst(lanes).slice(0, SHOWN_SIGNERS)} />}
            </Loaded>
          </section>
        </div>
        <ActivityPanel />
      </div>
    </>
  )
}

/** Trouble first, then load; else as the service lists them. */
function busiestFirst(lanes: readonly LaneResource[]): readonly LaneResource[] {
  const weigh = ({ problems, stuck, inFlight, queued }: LaneResource) =>
    problems.length * 1e6 + stuck * 1e6 + Math.min(1e6, inFlight + queued)
  return lanes.toSorted((a, b) => weigh(b) - weigh(a))
}
