/**
 * What an operator may do to a lane. Each action first says what it will do, and asks for a reason. Also shows the
 * progress of the last reset.
 */
import { useContext, useState } from 'preact/hooks'
import type { LaneOrder } from '../../api/api-client.ts'
import { ApiProblem, ServiceAway } from '../../api/api-failure.ts'
import type { LaneResource, ResetResource } from '../../api/api-resources.ts'
import { formatCount } from '../../format/format-amount.ts'
import { Service } from '../../live/service.ts'
import { type ListedOrder, listLaneOrders } from '../../words/lane-orders.ts'
import { announce } from '../announcer.tsx'
import { FormField, TextInput } from '../form-field.tsx'

interface LaneActionsProps {
  readonly lane: LaneResource
  /** The latest of its resets; null if there was none. */
  readonly last: ResetResource | null
}

export function LaneActions({ lane, last }: LaneActionsProps) {
  const [chosen, setChosen] = useState<LaneOrder | null>(null)
  // Pausing is no longer possible once another user has done it.
  const orders = listLaneOrders(lane)
  const order = orders.find((each) => each.order === chosen)
  return (
    <div class="operator">
      {last !== null && <p>{describeReset(last)}</p>}
      <ul class="operator-choice" aria-label="What you can do with this signer">
        {orders.map(({ order: each, name }) => (
          <li key={each}>
            <button
              type="button"
              class="button"
              aria-expanded={each === chosen}
              onClick={() => setChosen(each === chosen ? null : each)}
            >
              {name}
            </button>
          </li>
        ))}
      </ul>
      {order !== undefined && <OrderForm key={chosen} lane={lane} order={order} onDone={() => setChosen(null)} />}
    </div>
  )
}

interface OrderFormProps {
  readonly lane: LaneResource
  readonly order: ListedOrder
  onDone(): void
}

function OrderForm({ lane, order: { order, name, effect }, onDone }: OrderFormProps) {
  const { api, pulse } = useContext(Service)
  const [reason, setReason] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    if (isBusy) return
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
      <FormField id={`order-${lane.chainId}`} label="Reason (stored in the history)" problem={problem}>
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

function describeReset({ state, progress, fromNonce, toNonce, refusal }: ResetResource): string {
  if (state === 'CANCELLING' && progress !== null) {
    const { total, cancelled, left } = progress
    return `Cancelling all: ${formatCount(cancelled)} of ${formatCount(total)} cancelled, ${formatCount(left)} left. No nonces are assigned meanwhile.`
  }
  if (state === 'REFUSED') return `Last reset refused: ${refusal}.`
  if (state === 'DONE') return `Last reset: nonce ${fromNonce ?? '-'} to ${toNonce ?? '-'}.`
  return 'A reset was requested. It waits for the node that runs this signer.'
}
