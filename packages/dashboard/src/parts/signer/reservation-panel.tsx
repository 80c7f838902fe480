/** The reserved nonces of a lane: who holds them, until when, and how an operator takes them back. */
import { useContext, useState } from 'preact/hooks'
import type { ListedReservation, ReservationPage, TakenReservation } from '../../api/api-client.ts'
import { ApiProblem, ServiceAway } from '../../api/api-failure.ts'
import type { LaneResource } from '../../api/api-resources.ts'
import { formatCount } from '../../format/format-amount.ts'
import { shortenHash } from '../../format/shorten.ts'
import { Service } from '../../live/service.ts'
import { useResource } from '../../live/use-resource.ts'
import { describeAlarm, describeReservation, summarizeTaken } from '../../words/reservation-words.ts'
import { announce } from '../announcer.tsx'
import { FormField, TextInput } from '../form-field.tsx'
import { Loaded } from '../placeholders.tsx'
import { TimedText } from '../timed-text.tsx'

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
      <TakeBackForm address={address} chainId={chainId} />
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
      <td>{nonce ?? <span class="muted">waiting</span>}</td>
      <td>{reservation === null ? <span class="muted">another tenant</span> : (reservation.holder ?? 'a caller')}</td>
      <td>
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

const UNKNOWN_END = 'It may or may not have been done. Check again.'

function TakeBackForm({ address, chainId }: { readonly address: string; readonly chainId: number }) {
  const { api, pulse } = useContext(Service)
  const [reason, setReason] = useState('')
  const [outcome, setOutcome] = useState<{ readonly text: string; readonly isBad: boolean } | null>(null)
  const [isBusy, setBusy] = useState(false)

  async function act(action: 'release' | 'fill'): Promise<void> {
    if (isBusy) return
    setBusy(true)
    const result = await describeResult(() => api.takeBack(address, action, { chainId, reason }))
    setBusy(false)
    pulse.beatSoon()
    setOutcome(result)
    announce(result.text)
  }

  return (
    <form class="operator-form" onSubmit={(event) => event.preventDefault()} noValidate>
      <p>
        <strong>Release all</strong> takes back every unused nonce. If no RPC node knows the holder's transaction,
        Drover sends an empty one in its place. <strong>Fill all</strong> fills all reserved nonces with empty
        transactions.
      </p>
      <FormField id={`take-back-${chainId}`} label="Reason (stored in the history)" problem={null}>
        {(control) => <TextInput control={control} value={reason} onType={setReason} isProse />}
      </FormField>
      <div class="form-actions">
        <button type="button" class="button is-primary" disabled={isBusy} onClick={() => act('release')}>
          Release all
        </button>
        <button type="button" class="button" disabled={isBusy} onClick={() => act('fill')}>
          Fill all
        </button>
      </div>
      {outcome !== null && (
        <p class={outcome.isBad ? 'outcome is-bad' : 'outcome'} role="status">
          {outcome.text}
        </p>
      )}
    </form>
  )
}

async function describeResult(act: () => Promise<{ readonly items: readonly TakenReservation[] }>) {
  try {
    return { text: summarizeTaken((await act()).items), isBad: false }
  } catch (error) {
    if (error instanceof ServiceAway) return { text: `${error.message} ${UNKNOWN_END}`, isBad: true }
    if (error instanceof ApiProblem) return { text: error.problem.detail, isBad: true }
    throw error
  }
}
