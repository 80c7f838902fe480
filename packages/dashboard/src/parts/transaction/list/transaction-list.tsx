/** All transactions that match, as one list to scroll. Only the rows in view are drawn, and only pages near them kept. */
import { useContext } from 'preact/hooks'
import type { TransactionResource } from '../../../api/api-resources.ts'
import { formatCount } from '../../../format/format-amount.ts'
import { Service } from '../../../live/service.ts'
import { useRowWindow } from '../../../live/use-row-window.ts'
import { formHash, type TransactionsRoute, toFilter } from '../../../pages/route.ts'
import { Empty, Failed, Loading } from '../../placeholders.tsx'
import { ListRow } from './list-row.tsx'
import type { Selection } from './use-selection.ts'
import { useViewport } from './use-viewport.ts'

interface TransactionListProps {
  readonly route: TransactionsRoute
  readonly selection: Selection
}

export function TransactionList({ route, selection }: TransactionListProps) {
  const { api } = useContext(Service)
  const { group, from, find } = route
  const key = formHash(route)
  const view = useViewport(key)
  const { rows, problem, above } = useRowWindow<TransactionResource>(
    key,
    (after, limit) => api.listTransactions({ ...toFilter(route), after, limit }),
    view,
  )
  const count = rows.isLoaded() ? rows.count() : 0
  const last = Math.min(view.last, count)
  const indexes = Array.from({ length: Math.max(0, last - view.first) }, (_, index) => view.first + index)
  const shown = indexes.flatMap((index) => rows.row(index) ?? [])
  const isFiltered = group !== 'all' || from !== null || find !== undefined

  return (
    <section class="tx-list" aria-label="Transactions">
      {above > 0 && (
        <button type="button" class="tx-above" onClick={() => view.scroller.current?.scrollTo({ top: 0 })}>
          ↑ {above >= 50 ? '50 or more' : formatCount(above)} newer
        </button>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region has to be reachable by keyboard */}
      <div ref={view.scroller} class="tx-scroll" tabIndex={0}>
        <table class="tx-table" aria-rowcount={-1}>
          <ListHead shown={shown} selection={selection} />
          <tbody class="tx-rows" style={{ height: `${count * view.rowHeight}px` }}>
            {indexes.map((index) => (
              <ListRow
                key={rows.row(index)?.id ?? index}
                index={index}
                top={index * view.rowHeight}
                tx={rows.row(index)}
                isSelected={selection.has(rows.row(index)?.id ?? '')}
                onPick={(tx, isPicked) => (isPicked ? selection.add([tx]) : selection.remove(tx.id))}
              />
            ))}
          </tbody>
        </table>
        {problem !== null && <Failed problem={problem} />}
        {problem === null && !rows.isLoaded() && <Loading rows={10} />}
        {rows.isLoaded() && count === 0 && <NoTransactions isFiltered={isFiltered} />}
      </div>
    </section>
  )
}

interface ListHeadProps {
  readonly shown: readonly TransactionResource[]
  readonly selection: Selection
}

function ListHead({ shown, selection }: ListHeadProps) {
  const isAll = shown.length > 0 && shown.every(({ id }) => selection.has(id))
  return (
    <thead>
      <tr class="tx-head">
        <th scope="col" class="tx-check">
          <input
            type="checkbox"
            aria-label="Select the rows in view"
            checked={isAll}
            onChange={() => (isAll ? selection.clear() : selection.add(shown))}
          />
        </th>
        <th scope="col">State</th>
        <th scope="col" class="is-number">
          Nonce
        </th>
        <th scope="col">From</th>
        <th scope="col">To</th>
        <th scope="col" class="is-number">
          Value
        </th>
        <th scope="col" class="tx-request">
          Request id
        </th>
        <th scope="col" class="is-number">
          Age
        </th>
      </tr>
    </thead>
  )
}

function NoTransactions({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <Empty title="No transactions match this filter">
        <a href={formHash({ page: 'transactions', group: 'all', from: null })}>Show all transactions</a>
      </Empty>
    )
  }
  return (
    <Empty title="No transactions yet">
      <a href={formHash({ page: 'send' })}>Send one from here</a>, or post one to <code>/v1/transactions</code>. It
      appears at once.
    </Empty>
  )
}
