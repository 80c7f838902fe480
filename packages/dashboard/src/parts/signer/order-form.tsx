/** One action on a lane: says what it will do, and asks for a reason. */
import { useContext, useState } from 'preact/hooks'
import { ApiProblem, ServiceAway } from '../../api/api-failure.ts'
import type { LaneResource } from '../../api/api-resources.ts'
import { Service } from '../../live/service.ts'
import type { ListedOrder } from '../../words/lane-orders.ts'
import { announce } from '../announcer.tsx'
import { FormField, TextInput } from '../form-field.tsx'

interface OrderFormProps {
  readonly lane: LaneResource
  readonly order: ListedOrder
  onDone(): void
}

export function OrderForm({ lane, order: { order, name, effect }, onDone }: OrderFormProps) {
  const { api, pulse } = useContext(Service)
  const [reason, setReason] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    if (isBusy) return
    if (reason.trim() === '') {
      setProblem('Give a reason first.')
      return
    }
    setBusy(true)
    const failed = await findProblem(() => api.orderLane(lane.address, order, { chainId: lane.chainId, reason }))
    setBusy(false)
    pulse.beatSoon()
    setProblem(failed)
    if (failed !== null) return
    announce(`${name}: requested`)
    onDone()
  }

  return (
    <form class="operator-form" onSubmit={submit} noValidate>
      <p>{effect}</p>
      <FormField id={`order-${lane.address}-${lane.chainId}`} label="Reason (stored in the history)" problem={problem}>
        {(control) => <TextInput control={control} value={reason} onType={setReason} isProse />}
      </FormField>
      <button type="submit" class="button is-primary" disabled={isBusy}>
        {name}
      </button>
    </form>
  )
}

/** Null if it was accepted. */
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
