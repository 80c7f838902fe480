/** All transactions: filters in the address, saved views, one long list, and actions on many. */
import type { Overview } from '../live/overview.ts'
import type { Resource } from '../live/use-resource.ts'
import { Allowed } from '../parts/allowed.tsx'
import { BulkBar } from '../parts/transaction/list/bulk-bar.tsx'
import { TransactionList } from '../parts/transaction/list/transaction-list.tsx'
import { useSelection } from '../parts/transaction/list/use-selection.ts'
import { ViewBar } from '../parts/transaction/list/view-bar.tsx'
import { TransactionFilter } from '../parts/transaction/transaction-filter.tsx'
import { formHash, type TransactionsRoute } from './route.ts'
import { useTitle } from './use-route.ts'

interface TransactionsPageProps {
  readonly route: TransactionsRoute
  readonly overview: Resource<Overview>
}

export function TransactionsPage({ route, overview }: TransactionsPageProps) {
  const selection = useSelection()
  useTitle('Transactions')
  return (
    <div class="tx-page">
      <div class="page-head">
        <h1>Transactions</h1>
        <Allowed scope="send" what="Sending">
          <a class="button is-primary page-action" href={formHash({ page: 'send' })}>
            Send
          </a>
        </Allowed>
      </div>
      <TransactionFilter route={route} lanes={overview.type === 'ready' ? overview.value.lanes : []} />
      <ViewBar route={route} />
      <BulkBar selection={selection} />
      <TransactionList route={route} selection={selection} />
    </div>
  )
}
