/** A page of transactions, live, from either end, with the way to the next. */
import type { ComponentChildren } from 'preact'
import { useContext } from 'preact/hooks'
import { Service } from '../../live/service.ts'
import { useResource } from '../../live/use-resource.ts'
import { type TransactionsQuery, toFilter } from '../../pages/route.ts'
import { Empty, Loaded } from '../placeholders.tsx'
import { TransactionTable } from './transaction-table.tsx'

const PAGE_SIZE = 25

interface TransactionPanelProps {
  readonly query: TransactionsQuery & { readonly after: string | null }
  /** Address of the page that starts after a cursor; null is the first. */
  linkTo(after: string | null): string
  readonly filter?: ComponentChildren
}

export function TransactionPanel({ query, linkTo, filter }: TransactionPanelProps) {
  const { api } = useContext(Service)
  const { group, from, find, order, after } = query
  const page = useResource(`transactions ${group} ${from} ${order} ${after} ${find}`, () =>
    api.listTransactions({ ...toFilter(query), after, limit: PAGE_SIZE }),
  )
  const isFiltered = group !== 'all' || from !== null || find !== undefined
  const [first, more] = order === 'asc' ? ['Oldest', 'Newer'] : ['Newest', 'Older']
  return (
    <section class="panel" aria-labelledby="transactions-title">
      <div class="panel-head">
        <h2 id="transactions-title">Transactions</h2>
        {filter}
      </div>
      <Loaded resource={page} rows={8}>
        {({ items, next }) => (
          <>
            {items.length === 0 ? <NoTransactions isFiltered={isFiltered} /> : <TransactionTable items={items} />}
            {(after !== null || next !== null) && (
              <nav class="pager" aria-label="Pages">
                {after === null ? <span class="muted">{first} first</span> : <a href={linkTo(null)}>← {first}</a>}
                {next === null ? (
                  <span class="muted">No {more.toLowerCase()} ones</span>
                ) : (
                  <a href={linkTo(next)}>{more} →</a>
                )}
              </nav>
            )}
          </>
        )}
      </Loaded>
    </section>
  )
}

function NoTransactions({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No transactions match this filter" />
  return (
    <Empty title="No transactions yet">
      Post one to <code>/v1/transactions</code> and it appears here at once.
    </Empty>
  )
}
