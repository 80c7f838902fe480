/** Takes reserved nonces back from their holders, with a reason. */
import { useContext, useState } from 'preact/hooks'
import type { TakenReservation } from '../../api/api-client.ts'
import { ApiProblem, ServiceAway } from '../../api/api-failure.ts'
import { Service } from '../../live/service.ts'
import { summarizeTaken } from '../../words/reservation-words.ts'
import { announce } from '../announcer.tsx'
import { FormField, TextInput } from '../form-field.tsx'

const UNKNOWN_END = 'It may or may not have been done. Check again.'

/** The field for the reason. The strip of nonces leads here. */
export function takeBackId({ address, chainId }: { readonly address: string; readonly chainId: number }): string {
  return `take-back-${address}-${chainId}`
}

export function TakeBackForm({ address, chainId }: { readonly address: string; readonly chainId: number }) {
  const { api, pulse } = useContext(Service)
  const [reason, setReason] = useState('')
  const [outcome, setOutcome] = useState<{ readonly text: string; readonly isBad: boolean } | null>(null)
  const [isBusy, setBusy] = useState(false)

  async function act(action: 'release' | 'fill'): Promise<void> {
    if (isBusy) return
    if (reason.trim() === '') {
      setOutcome({ text: 'Give a reason first.', isBad: true })
      announce('Give a reason first.')
      return
    }
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
      <FormField id={takeBackId({ address, chainId })} label="Reason (stored in the history)" problem={null}>
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
