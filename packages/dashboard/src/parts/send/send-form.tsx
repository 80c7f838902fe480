/** Builds a transfer or a call, checks it on the chain, shows what it costs, and sends it. */

import { useEffect } from 'preact/hooks'
import type { AbiFunction } from 'viem'
import type { LaneResource } from '../../api/api-resources.ts'
import { groupDigits } from '../../format/format-amount.ts'
import { formHash } from '../../pages/route.ts'
import { coinOf } from '../../words/chain-names.ts'
import { Amount } from '../figures.tsx'
import { FormField, TextInput } from '../form-field.tsx'
import { LaneSelect } from '../lane-select.tsx'
import { useSend } from './use-send.ts'

export function SendForm({ lanes }: { readonly lanes: readonly LaneResource[] }) {
  const { draft, change, problems, functions, called, checked, outcome, isBusy, check, send } = useSend(lanes)
  const lane = lanes[draft.lane]

  // Followed to its end on its own page.
  useEffect(() => {
    if (outcome?.type === 'accepted') location.hash = formHash({ page: 'transaction', key: outcome.transaction.id })
  }, [outcome])

  return (
    <form
      class="panel form-panel"
      noValidate
      aria-label="Send a transaction"
      onSubmit={(event) => {
        event.preventDefault()
        void check()
      }}
    >
      <FormField id="send-from" label="From" problem={problems.fields.from ?? null}>
        {(control) => (
          <LaneSelect control={control} lanes={lanes} chosen={draft.lane} onChoose={(lane) => change({ lane })} />
        )}
      </FormField>
      <FormField id="send-to" label="To: an account or a contract" problem={problems.fields.to ?? null}>
        {(control) => <TextInput control={control} value={draft.to} onType={(to) => change({ to })} />}
      </FormField>
      <FormField
        id="send-value"
        label={`Value in ${coinOf(lane?.chainId ?? 1)}`}
        problem={problems.fields.value ?? null}
      >
        {(control) => (
          <TextInput control={control} value={draft.value} onType={(value) => change({ value })} mode="decimal" />
        )}
      </FormField>
      <FormField
        id="send-code"
        label="Function or ABI (optional), e.g. transfer(address to, uint256 amount)"
        problem={problems.code}
      >
        {(control) => (
          <textarea
            class="input mono"
            rows={2}
            {...control}
            value={draft.code}
            spellcheck={false}
            onInput={(event) => change({ code: event.currentTarget.value, chosen: 0, args: [] })}
          />
        )}
      </FormField>
      {functions.length > 1 && (
        <FormField id="send-function" label="Function" problem={null}>
          {(control) => (
            <select
              class="select"
              {...control}
              value={draft.chosen}
              onChange={(event) => change({ chosen: Number(event.currentTarget.value), args: [] })}
            >
              {functions.map((each, index) => (
                <option key={spell(each)} value={index}>
                  {spell(each)}
                </option>
              ))}
            </select>
          )}
        </FormField>
      )}
      {called?.inputs.map((input, index) => (
        <FormField
          key={`${called.name} ${index}`}
          id={`send-arg-${index}`}
          label={`${input.name ?? `argument ${index + 1}`}, ${input.type}`}
          problem={problems.arg?.index === index ? problems.arg.message : null}
        >
          {(control) => (
            <TextInput
              control={control}
              value={draft.args[index] ?? ''}
              onType={(text) =>
                change({ args: called.inputs.map((_, at) => (at === index ? text : (draft.args[at] ?? ''))) })
              }
            />
          )}
        </FormField>
      ))}
      <CheckText checked={checked} />
      {outcome?.type === 'refused' && outcome.message !== null && (
        <p class="outcome is-bad" role="alert">
          {outcome.message}
        </p>
      )}
      {outcome?.type === 'unknown' && (
        <p class="outcome is-warn" role="alert">
          {outcome.message} It may or may not have arrived. Sending again is safe: it uses the same idempotency key.
        </p>
      )}
      <div class="form-actions">
        <button
          type="submit"
          class={`button ${checked?.check.type === 'passed' ? '' : 'is-primary'}`}
          disabled={isBusy}
        >
          Check
        </button>
        {checked?.check.type === 'passed' && (
          <button type="button" class="button is-primary" disabled={isBusy} onClick={send}>
            {isBusy ? 'Sending…' : 'Send'}
          </button>
        )}
      </div>
    </form>
  )
}

function CheckText({ checked }: { readonly checked: ReturnType<typeof useSend>['checked'] }) {
  if (checked === null) return null
  const { check, transfer } = checked
  if (check.type === 'failed') {
    return (
      <p class="outcome is-bad" role="alert">
        It would fail: {check.message}
      </p>
    )
  }
  return (
    <p class="outcome is-good" role="status">
      It would succeed now. It takes {groupDigits(check.gas.toString())} gas and costs at most{' '}
      <Amount wei={check.maxFeeWei.toString()} chainId={transfer.chainId} /> in fees.
    </p>
  )
}

function spell({ name, inputs }: AbiFunction): string {
  return `${name}(${inputs.map(({ type }) => type).join(', ')})`
}
