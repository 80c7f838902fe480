/** The nonces of a lane as a strip of cells, one for each, so that a gap or a held nonce is seen at once. */
import { useContext } from 'preact/hooks'
import type { LaneResource } from '../../api/api-resources.ts'
import { formatCount } from '../../format/format-amount.ts'
import { Service } from '../../live/service.ts'
import { useResource } from '../../live/use-resource.ts'
import { formHash } from '../../pages/route.ts'
import { type CellKind, formNonceRow, type NonceCell } from '../../words/nonce-cells.ts'
import { takeBackId } from './take-back-form.tsx'

const MOST = 200

const LEGEND: readonly (readonly [CellKind, string])[] = [
  ['done', 'final'],
  ['mined', 'mined'],
  ['sent', 'sent'],
  ['signed', 'signed'],
  ['stuck', 'stuck'],
  ['reserved', 'reserved'],
  ['gap', 'gap'],
  ['free', 'free'],
  ['queued', 'queued'],
]

interface NonceStripProps {
  readonly lane: LaneResource
  /** A gap was chosen. */
  onGap(): void
}

export function NonceStrip({ lane, onGap }: NonceStripProps) {
  const { api } = useContext(Service)
  const { address, chainId } = lane
  const held = useResource(`nonces ${address} ${chainId}`, async () => {
    const query = { states: ['ALLOCATED', 'TRACKING', 'STUCK'], from: address, after: null, limit: MOST }
    const [inFlight, reservations] = await Promise.all([
      api.listTransactions({ ...query, found: { chainId: String(chainId) } }),
      api.listReservations(address, chainId, null),
    ])
    return { inFlight: inFlight.items, reservations: reservations.items }
  })
  if (held.type !== 'ready') return null
  const { cells, hidden } = formNonceRow(lane, held.value.inFlight, held.value.reservations)
  const used = LEGEND.filter(([kind]) => cells.some((cell) => cell.kind === kind))
  const titleId = `nonces-${chainId}`
  const actionOf = ({ kind }: NonceCell) => {
    if (kind === 'gap' && lane.free > 0) return onGap
    return kind === 'reserved' ? () => document.getElementById(takeBackId(lane))?.focus() : null
  }
  return (
    <section class="panel" aria-labelledby={titleId}>
      <div class="panel-head">
        <h2 id={titleId}>Nonces</h2>
        <ul class="strip-legend" aria-label="Colours">
          {used.map(([kind, name]) => (
            <li key={kind}>
              <span class={`strip-sample is-${kind}`} aria-hidden="true" />
              {name}
            </li>
          ))}
        </ul>
      </div>
      <ol class="strip" aria-label={`Nonces on chain ${chainId}`}>
        {hidden > 0 && <li class="strip-more">{formatCount(hidden)} more</li>}
        {cells.map((cell) => (
          <Cell key={cell.nonce} cell={cell} onChoose={actionOf(cell)} />
        ))}
      </ol>
    </section>
  )
}

interface CellProps {
  readonly cell: NonceCell
  /** What clears it; null: nothing to clear. */
  readonly onChoose: (() => void) | null
}

function Cell({ cell: { nonce, kind, text, transactionId }, onChoose }: CellProps) {
  const title = `Nonce ${nonce}: ${text}`
  const inner = (
    <>
      {nonce}
      <span class="sr-only">: {text}</span>
    </>
  )
  return (
    <li class={`strip-cell is-${kind}`} title={title}>
      {transactionId !== null ? (
        <a href={formHash({ page: 'transaction', key: transactionId })}>{inner}</a>
      ) : onChoose !== null ? (
        <button type="button" onClick={onChoose}>
          {inner}
        </button>
      ) : (
        <span>{inner}</span>
      )}
    </li>
  )
}
