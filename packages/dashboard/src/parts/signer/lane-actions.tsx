/**
 * What an operator may do to a lane. Each action first says what it will do, and asks for a reason. Also shows the
 * progress of the last reset.
 */
import { useState } from 'preact/hooks'
import type { LaneOrder } from '../../api/api-client.ts'
import type { LaneResource, ResetResource } from '../../api/api-resources.ts'
import { formatCount } from '../../format/format-amount.ts'
import { listLaneOrders } from '../../words/lane-orders.ts'
import { OrderForm } from './order-form.tsx'

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

function describeReset({ state, progress, fromNonce, toNonce, refusal }: ResetResource): string {
  if (state === 'CANCELLING' && progress !== null) {
    const { total, cancelled, left } = progress
    return `Cancelling all: ${formatCount(cancelled)} of ${formatCount(total)} cancelled, ${formatCount(left)} left. No nonces are assigned meanwhile.`
  }
  if (state === 'REFUSED') return `Last reset refused: ${refusal}.`
  if (state === 'DONE') return `Last reset: nonce ${fromNonce ?? '-'} to ${toNonce ?? '-'}.`
  return 'A reset was requested. It waits for the node that runs this signer.'
}
