/** What an operator may do to a lane now, and what each would do. */
import type { LaneOrder } from '../api/api-client.ts'
import type { LaneResource } from '../api/api-resources.ts'
import { formatCount } from '../format/format-amount.ts'

export interface ListedOrder {
  readonly order: LaneOrder
  readonly name: string
  readonly effect: string
}

type OrderedLane = Pick<LaneResource, 'paused' | 'free' | 'inFlight'>

export function listLaneOrders({ paused, free, inFlight }: OrderedLane): readonly ListedOrder[] {
  return [
    paused
      ? { order: 'resume', name: 'Resume', effect: 'Queued transactions get nonces again.' }
      : {
          order: 'pause',
          name: 'Pause',
          effect: 'No new nonce is given out. What is in flight goes on, and requests are still accepted and queued.',
        },
    ...(free > 0 ? [fillGap(free)] : []),
    {
      order: 'reset-nonce',
      name: 'Reset nonce',
      effect:
        "Sets the next nonce to the chain's count. It is refused while anything is in flight at or above that count.",
    },
    {
      order: 'cancel-all',
      name: 'Cancel all, then reset',
      effect: `Cancels the ${formatCount(inFlight)} transactions in flight, each by an empty one under its nonce. Then the next nonce is set to the chain's count. Queued transactions wait until it is over.`,
    },
  ]
}

function fillGap(free: number): ListedOrder {
  const effect = `Puts an empty transaction under each free nonce below one that was sent; ${formatCount(free)} ${free === 1 ? 'is' : 'are'} free.`
  return { order: 'fill-gap', name: 'Fill gap', effect }
}
