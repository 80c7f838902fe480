/** The reserved nonces of a lane: who holds them, until when, and a form to take them back. */
import { useContext } from 'preact/hooks'
import type { ListedReservation, ReservationPage } from '../../api/api-client.ts'
import type { LaneResource } from '../../api/api-resources.ts'
import { formatCount } from '../../format/format-amount.ts'
import { shortenHash } from '../../format/shorten.ts'
import { Service } from '../../live/service.ts'
import { useResource } from '../../live/use-resource.ts'
import { describeAlarm, describeReservation } from '../../words/reservation-words.ts'
import { Allowed } from '../allowed.tsx'
import { Loaded } from '../placeholders.tsx'
import { TimedText } from '../timed-text.tsx'
import { TakeBackForm } from './take-back-form.tsx'

/** Shown while there are any. */
export function ReservationPanel({ lane }: { readonly lane: LaneResource }) {
  const { api } = useContext(Service)
  const { address, chainId } = lane
  const page = useResource(`reservations ${address} ${chainId}`, () => api.listReservations(address, chainId, null))
  if (lane.reserved === 0 && !(page.type === 'ready' && page.value.items.length > 0)) return null
  const titleId = `reservations-${chainId}`
  return (
    <section class="panel" aria-labelledby={titleId}>
      <div class="panel-head">
        <h2 id={titleId}>Reserved nonces</h2>
        {lane.stuckReserved > 0 && <span class="tag is-warn">{formatCount(lane.stuckReserved)} need attention</span>}
      </div>
      <Loaded resource={page} rows={2}>
        {(known) => <ReservationTable page={known} />}
      </Loaded>
      <Allowed scope="operate" what="Taking nonces back">
        <TakeBackForm address={address} chainId={chainId} />
      </Allowed>
    </section>
  )
}

function ReservationTable({ page }: { readonly page: ReservationPage }) {
  return (
    <table class="table">
      <thead>
        <tr>
          <th scope="col">Nonce</th>
          <th scope="col">Holder</th>
          <th scope="col">State</th>
        </tr>
      </thead>
      <tbody>
        {page.items.map((item) => (
          <ReservationRow key={item.reservation?.id ?? item.nonce} item={item} />
        ))}
      </tbody>
      {page.next !== null && <caption>Not all reservations are shown.</caption>}
    </table>
  )
}

function ReservationRow({ item: { nonce, reservation } }: { readonly item: ListedReservation }) {
  return (
    <tr>
      <td data-label="Nonce">{nonce ?? <span class="muted">waiting</span>}</td>
      <td data-label="Holder">
        {reservation === null ? <span class="muted">another tenant</span> : (reservation.holder ?? 'a caller')}
        {reservation !== null && reservation.label !== null && <span class="cell-note muted">{reservation.label}</span>}
      </td>
      <td data-label="State">
        {reservation !== null && <TimedText text={describeReservation(reservation)} />}
        {reservation !== null && reservation.hash !== null && (
          <span class="muted"> {shortenHash(reservation.hash)}</span>
        )}
        {reservation !== null && reservation.alarm !== null && (
          <span class="is-alarming"> {describeAlarm(reservation.alarm.cause)}</span>
        )}
      </td>
    </tr>
  )
}
