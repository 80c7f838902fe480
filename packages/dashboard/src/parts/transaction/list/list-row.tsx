/** One transaction in the list. */
import { Component } from 'preact'
import type { TransactionResource } from '../../../api/api-resources.ts'
import { shortenAddress } from '../../../format/shorten.ts'
import { formHash } from '../../../pages/route.ts'
import { nameCall } from '../../../words/known-calls.ts'
import { Age, Amount } from '../../figures.tsx'
import { StateChip, SubStateText } from '../state-chip.tsx'

interface ListRowProps {
  readonly index: number
  readonly top: number
  /** Null: not read yet. */
  readonly tx: TransactionResource | null
  readonly isSelected: boolean
  onPick(tx: TransactionResource, isPicked: boolean): void
}

/** Drawn again only if the row itself changes: while the list is scrolled, most do not. */
export class ListRow extends Component<ListRowProps> {
  override shouldComponentUpdate({ tx, top, isSelected }: ListRowProps): boolean {
    const { props } = this
    return tx !== props.tx || top !== props.top || isSelected !== props.isSelected
  }

  override render({ index, top, tx, isSelected, onPick }: ListRowProps) {
    return tx === null ? (
      <tr class="tx-row is-blank" style={placeAt(top)} />
    ) : (
      <Filled index={index} top={top} tx={tx} isSelected={isSelected} onPick={onPick} />
    )
  }
}

const placeAt = (top: number) => ({ transform: `translateY(${top}px)` })

function Filled({ index, top, tx, isSelected, onPick }: ListRowProps & { readonly tx: TransactionResource }) {
  const { id, nonce, from, value, chainId, requestId, createdAt, state } = tx
  return (
    <tr
      class={`tx-row is-${state.toLowerCase()} ${isSelected ? 'is-selected' : ''}`}
      style={placeAt(top)}
      aria-rowindex={index + 2}
    >
      <td class="tx-check">
        <input
          type="checkbox"
          aria-label={`Select transaction ${nonce === null ? id : `with nonce ${nonce}`}`}
          checked={isSelected}
          onChange={() => onPick(tx, !isSelected)}
        />
      </td>
      <td class="tx-state">
        <a class="row-link" href={formHash({ page: 'transaction', key: id })}>
          <StateChip state={state} />
          <span class="sr-only"> transaction {nonce === null ? id : `with nonce ${nonce}`}</span>
        </a>
        <SubStateText tx={tx} />
      </td>
      <td class="tx-nonce is-number">{nonce ?? <span class="muted">–</span>}</td>
      <td class="tx-from mono" title={from}>
        {shortenAddress(from)}
      </td>
      <td class="tx-to">
        <Target tx={tx} />
      </td>
      <td class="tx-value is-number">
        {value === '0' ? <span class="muted">–</span> : <Amount wei={value} chainId={chainId} />}
      </td>
      <td class="tx-request muted" title={requestId ?? ''}>
        {requestId ?? ''}
      </td>
      <td class="tx-age is-number muted">
        <Age at={createdAt} />
      </td>
    </tr>
  )
}

function Target({ tx: { to, data } }: { readonly tx: TransactionResource }) {
  if (to === null) return <span class="tag">new contract</span>
  return (
    <>
      <span class="mono" title={to}>
        {shortenAddress(to)}
      </span>
      {data.length >= 10 && (
        <span class="tag mono" title={`Called function: ${data.slice(0, 10)}`}>
          {nameCall(data)}
        </span>
      )}
    </>
  )
}
