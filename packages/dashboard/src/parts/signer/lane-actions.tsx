/**
 * What an operator may do to a lane. Each action first says what it will do, and asks for a reason. Also shows the
 * progress of the last reset.
 */
import type { LaneOrder } from '../../api/api-client.ts'
import type { LaneResource, ResetResource } from '../../api/api-resources.ts'
import { formatCount } from '../../format/format-amount.ts'
import { useOffered } from '../../live/rights.ts'
import { listLaneOrders } from '../../words/lane-orders.ts'
import { Refused } from '../allowed.tsx'
import { Opened } from '../opened.tsx'
import { OrderForm } from './order-form.tsx'

interface LaneActionsProps {
  readonly lane: LaneResource
  /** The latest of its resets; null if there was none. */
  readonly last: ResetResource | null
  /** The action whose form is open. */
  readonly chosen: LaneOrder | null
  onChoose(order: LaneOrder | null): void
}

export function LaneActions({ lane, last, chosen, onChoose }: LaneActionsProps) {
  // Pausing is no longer possible once another user has done it.
  const { offered, refused } = useOffered(listLaneOrders(lane), ({ order }) =>
    order === 'remove' ? 'admin' : 'operate',
  )
  const order = offered.find((each) => each.order === chosen)
  return (
    <div class="operator">
      {last !== null && <p>{describeReset(last)}</p>}
      {offered.length > 0 && (
        <ul class="operator-choice" aria-label="What you can do with this signer">
          {offered.map(({ order: each, name }) => (
            <li key={each}>
              <button
                type="button"
                class="button"
                aria-expanded={each === chosen}
                onClick={() => onChoose(each === chosen ? null : each)}
              >
                {name}
              </button>
            </li>
          ))}
        </ul>
      )}
      <Refused what="Acting on this signer" why={refused} isSomeOffered={offered.length > 0} />
      {order !== undefined && (
        <Opened key={chosen} onClose={() => onChoose(null)}>
          <OrderForm lane={lane} order={order} onDone={() => onChoose(null)} />
        </Opened>
      )}
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
