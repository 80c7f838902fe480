/** Sends a transfer on a local chain, to try Drover. Not shown on a chain with real money. */
import { useContext, useRef, useState } from 'preact/hooks'
import type { LaneResource } from '../../api/api-resources.ts'
import { shortenAddress } from '../../format/shorten.ts'
import { Service } from '../../live/service.ts'
import { formHash } from '../../pages/route.ts'
import { coinOf, LOCAL_CHAIN_ID } from '../../words/chain-names.ts'
import { FormField, TextInput } from '../form-field.tsx'
import { createIdempotencyKey } from './idempotency-key.ts'
import { type FieldName, formTransfer, type SendOutcome, sendTransfer } from './transfer-draft.ts'

export function SendForm({ lanes }: { readonly lanes: readonly LaneResource[] }) {
  const { typed, type, outcome, isSending, submit } = useTransfer(lanes)
  const fields = outcome?.type === 'refused' ? outcome.fields : {}
  return (
    <section class="panel" aria-labelledby="send-title">
      <div class="panel-head">
        <h2 id="send-title">Send a test transfer</h2>
        <span class="tag">local chain</span>
      </div>
      <form class="send-form" onSubmit={submit} noValidate>
        <FormField id="send-from" label="From" problem={fields.from ?? null}>
          {(control) => (
            <select
              class="select"
              {...control}
              value={typed.from}
              onChange={(e) => type('from', e.currentTarget.value)}
            >
              {lanes.map(({ address, label, policy }) => (
                <option key={address} value={address}>
                  {label ?? shortenAddress(address)} ({policy.preset})
                </option>
              ))}
            </select>
          )}
        </FormField>
        <FormField id="send-to" label="To" problem={fields.to ?? null}>
          {(control) => <TextInput control={control} value={typed.to} onType={(text) => type('to', text)} />}
        </FormField>
        <FormField id="send-value" label={`Value in ${coinOf(LOCAL_CHAIN_ID)}`} problem={fields.value ?? null}>
          {(control) => (
            <TextInput control={control} value={typed.value} onType={(text) => type('value', text)} mode="decimal" />
          )}
        </FormField>
        <button type="submit" class="button is-primary" disabled={isSending}>
          {isSending ? 'Sending…' : 'Send'}
        </button>
        {outcome !== null && <OutcomeText outcome={outcome} />}
      </form>
    </section>
  )
}

function useTransfer(lanes: readonly LaneResource[]) {
  const { api, pulse } = useContext(Service)
  const key = useRef(createIdempotencyKey())
  const [typed, setTyped] = useState(() => ({
    from: lanes[0]?.address ?? '',
    to: lanes[1]?.address ?? lanes[0]?.address ?? '',
    value: '0.01',
  }))
  const [outcome, setOutcome] = useState<SendOutcome | null>(null)
  const [isSending, setSending] = useState(false)

  function type(field: FieldName, text: string): void {
    key.current = createIdempotencyKey()
    setTyped((before) => ({ ...before, [field]: text }))
    setOutcome(null)
  }

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    if (isSending) return
    const formed = formTransfer(LOCAL_CHAIN_ID, typed)
    if ('fields' in formed) return setOutcome({ type: 'refused', fields: formed.fields, message: null })
    setSending(true)
    const result = await sendTransfer(() => api.sendTransfer(formed.transfer, key.current))
    if (result.type === 'accepted') key.current = createIdempotencyKey()
    setOutcome(result)
    setSending(false)
    pulse.beatSoon()
  }

  return { typed, type, outcome, isSending, submit }
}

function OutcomeText({ outcome }: { readonly outcome: SendOutcome }) {
  switch (outcome.type) {
    case 'accepted':
      return (
        <p class="outcome is-good" role="status">
          Accepted. <a href={formHash({ page: 'transaction', key: outcome.transaction.id })}>Watch it</a>
        </p>
      )
    case 'refused':
      return outcome.message === null ? null : (
        <p class="outcome is-bad" role="alert">
          {outcome.message}
        </p>
      )
    case 'unknown':
      return (
        <p class="outcome is-warn" role="alert">
          {outcome.message} It may or may not have arrived. Sending again is safe: it uses the same idempotency key.
        </p>
      )
  }
}
