/** The page that stays open all day: what needs attention, the signers, the transactions, and what happens now. */

import type { Overview } from '../live/overview.ts'
import type { Resource } from '../live/use-resource.ts'
import { ActivityPanel } from '../parts/activity-panel.tsx'
import { ConcernList } from '../parts/concern-list.tsx'
import { EndpointTable } from '../parts/endpoint-table.tsx'
import { Loaded } from '../parts/placeholders.tsx'
import { SignerTable } from '../parts/signer/signer-table.tsx'
import { Totals } from '../parts/totals.tsx'
import { SendForm } from '../parts/transaction/send-form.tsx'
import { TransactionFilter } from '../parts/transaction/transaction-filter.tsx'
import { TransactionPanel } from '../parts/transaction/transaction-panel.tsx'
import { LOCAL_CHAIN_ID } from '../words/chain-names.ts'
import { formHash, type OverviewRoute } from './route.ts'
import { useTitle } from './use-route.ts'

interface OverviewPageProps {
  readonly route: OverviewRoute
  readonly overview: Resource<Overview>
}

export function OverviewPage({ route, overview }: OverviewPageProps) {
  const known = overview.type === 'ready' ? overview.value : null
  const stuck = known?.lanes.reduce((sum, lane) => sum + lane.stuck, 0) ?? 0
  // Readable from a tab that is not in front.
  useTitle(stuck > 0 ? `(${stuck} stuck)` : '')
  const localLanes = known?.lanes.filter((lane) => lane.chainId === LOCAL_CHAIN_ID) ?? []
  return (
    <>
      <h1 class="sr-only">Overview</h1>
      {known !== null && <ConcernList overview={known} />}
      {known !== null && <Totals overview={known} />}
      <div class="columns">
        <div class="column-main">
          <section class="panel" aria-labelledby="signers-title">
            <div class="panel-head">
              <h2 id="signers-title">Signers</h2>
            </div>
            <Loaded resource={overview}>{({ lanes }) => <SignerTable lanes={lanes} />}</Loaded>
          </section>
          <TransactionPanel
            query={route}
            linkTo={(after) => formHash({ ...route, after })}
            filter={<TransactionFilter route={route} lanes={known?.lanes ?? []} />}
          />
          <section class="panel" aria-labelledby="endpoints-title">
            <div class="panel-head">
              <h2 id="endpoints-title">RPC endpoints</h2>
            </div>
            <Loaded resource={overview}>{({ chains }) => <EndpointTable chains={chains} />}</Loaded>
          </section>
        </div>
        <div class="column-side">
          {localLanes.length > 0 && <SendForm lanes={localLanes} />}
          <ActivityPanel />
        </div>
      </div>
    </>
  )
}
