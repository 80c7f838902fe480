/** Transactions as rows; on a narrow screen each row becomes a card. */
import type { TransactionResource } from '../../api/api-resources.ts'
import { shortenAddress, shortenHash } from '../../format/shorten.ts'
import { formHash } from '../../pages/route.ts'
import { nameCall } from '../../words/known-calls.ts'
import { Copyable } from '../copyable.tsx'
import { Age, Amount } from '../figures.tsx'
import { StateChip, SubStateText } from './state-chip.tsx'

export function TransactionTable({ items }: { readonly items: readonly TransactionResource[] }) {
  return (
    <table class="table transaction-table">
      <thead>
        <tr>
          <th scope="col">State</th>
          <th scope="col" class="is-number">
            Nonce
          </th>
          <th scope="col">From</th>
          <th scope="col">To</th>
          <th scope="col" class="is-number">
            Value
          </th>
          <th scope="col" class="is-hash">
            Hash
          </th>
          <th scope="col" class="is-number">
            Age
          </th>
        </tr>
      </thead>
      <tbody>
        {items.map((tx) => (
          <TransactionRow key={tx.id} tx={tx} />
        ))}
      </tbody>
    </table>
  )
}

function TransactionRow({ tx }: { readonly tx: TransactionResource }) {
  const href = formHash({ page: 'transaction', key: tx.id })
  return (
    <tr class={`is-${tx.state.toLowerCase()}`} onClick={(event) => openRow(event, href)}>
      <th scope="row" class="state-cell">
        <a class="row-link" href={href}>
          <StateChip state={tx.state} />
          <span class="sr-only"> transaction {tx.nonce === null ? tx.id : `with nonce ${tx.nonce}`}</span>
        </a>
        <SubStateText tx={tx} />
      </th>
      <td data-label="Nonce" class="is-number">
        {tx.nonce === null ? <span class="muted">–</span> : tx.nonce}
      </td>
      <td data-label="From">
        <Copyable text={tx.from} shown={shortenAddress(tx.from)} what="sender" />
      </td>
      <td data-label="To">
        <Target tx={tx} />
      </td>
      <td data-label="Value" class="is-number">
        <Amount wei={tx.value} chainId={tx.chainId} />
      </td>
      <td data-label="Hash" class="is-hash">
        {tx.hash === null ? (
          <span class="muted">–</span>
        ) : (
          <Copyable text={tx.hash} shown={shortenHash(tx.hash)} what="hash" />
        )}
      </td>
      <td data-label="Age" class="is-number">
        <Age at={tx.createdAt} />
      </td>
    </tr>
  )
}

/**
 * The link of a row lies under the texts that can be hovered and selected, so a click on those is led on from here.
 * With the keyboard, the link itself is enough.
 */
function openRow(event: MouseEvent, href: string): void {
  const isOwnMatter = event.target instanceof Element && event.target.closest('a, button') !== null
  const isSelecting = getSelection()?.isCollapsed === false
  if (!isOwnMatter && !isSelecting) location.hash = href
}

function Target({ tx: { to, data } }: { readonly tx: TransactionResource }) {
  if (to === null) return <span class="tag">new contract</span>
  return (
    <>
      <Copyable text={to} shown={shortenAddress(to)} what="receiver" />
      {data.length >= 10 && (
        <span class="tag mono" title={`Called function: ${data.slice(0, 10)}`}>
          {nameCall(data)}
        </span>
      )}
    </>
  )
}
