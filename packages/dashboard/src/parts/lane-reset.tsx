/** `Cancel all, then reset` for one lane, with a reason; and how far the last such order has come. */
import { useContext, useState } from 'preact/hooks'
import { ApiProblem, ServiceAway } from '../api/api-failure.ts'
import type { LaneResource, ResetResource } from '../api/api-resources.ts'
import { formatCount } from '../format/format-amount.ts'
import { Service } from '../live/service.ts'
import { announce } from './announcer.tsx'
import { FormField, TextInput } from './form-field.tsx'

interface LaneResetProps {
  readonly lane: LaneResource
  /** The latest of its resets; null where there was none. */
  readonly last: ResetResource | null
}

export function LaneReset({ lane, last }: LaneResetProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <div class="operator">
      {last !== null && <p>{describeReset(last)}</p>}
      <button type="button" class="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Cancel all, then reset
      </button>
      {isOpen && <ResetForm lane={lane} onDone={() => setOpen(false)} />}
    </div>
  )
}

function ResetForm({ lane, onDone }: { readonly lane: LaneResource; onDone(): void }) {
  const { api, pulse } = useContext(Service)
  const [reason, setReason] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    if (isBusy) return
    setBusy(true)
    const failed = await findProblem(() => api.cancelAllAndReset(lane.address, lane.chainId, reason))
    setBusy(false)
    pulse.beatSoon()
    setProblem(failed)
    if (failed !== null) return
    announce('Cancel all, then reset: ordered')
    onDone()
  }

  return (
    <form class="operator-form" onSubmit={submit} noValidate>
      <p>
        Cancels the {formatCount(lane.inFlight)} transactions in flight, each by an empty one under its nonce. Then the
        next nonce is set to the chain's count. Queued transactions wait until it is over.
      </p>
      <FormField id={`reset-${lane.chainId}`} label="Reason, kept in the history" problem={problem}>
        {(control) => <TextInput control={control} value={reason} onType={setReason} isProse />}
      </FormField>
      <button type="submit" class="button is-primary" disabled={isBusy}>
        Cancel all, then reset
      </button>
    </form>
  )
}

/** Null where it was ordered. */
async function findProblem(act: () => Promise<unknown>): Promise<string | null> {
  try {
    await act()
    return null
  } catch (error) {
    if (error instanceof ServiceAway) return error.message
    if (error instanceof ApiProblem) return error.problem.detail
    throw error
  }
}

function describeReset({ state, progress, fromNonce, toNonce, refusal }: ResetResource): string {
  if (state === 'CANCELLING' && progress !== null) {
    const { total, cancelled, left } = progress
    return `Cancelling all: ${formatCount(cancelled)} of ${formatCount(total)} cancelled, ${formatCount(left)} left. No nonce is given out meanwhile.`
  }
  if (state === 'REFUSED') return `Last reset refused: ${refusal}.`
  if (state === 'DONE') return `Last reset: nonce ${fromNonce ?? '-'} to ${toNonce ?? '-'}.`
  return 'A reset was ordered and waits for the owner of the lane.'
}
