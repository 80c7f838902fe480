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
          effect:
            'Assigns no new nonces. Transactions in flight continue, and new requests are still accepted and queued.',
        },
    ...(free > 0 ? [fillGap(free)] : []),
    {
      order: 'reset-nonce',
      name: 'Reset nonce',
      effect:
        "Sets the next nonce to the chain's transaction count. Refused while anything is in flight at or above that count.",
    },
    {
      order: 'cancel-all',
      name: 'Cancel all, then reset',
      effect: `Cancels the ${formatCount(inFlight)} transactions in flight by replacing each with an empty one. Then sets the next nonce to the chain's transaction count. Queued transactions wait until this is done.`,
    },
    {
      order: 'remove',
      name: 'Remove',
      effect:
        'Removes this signer from all chains, and deletes its key if that is in the database. Refused while anything is queued, in flight or reserved, or while it has timers.',
    },
  ]
}

function fillGap(free: number): ListedOrder {
  const effect = `Fills each unused nonce below one that was sent with an empty transaction (${formatCount(free)} unused).`
  return { order: 'fill-gap', name: 'Fill gap', effect }
}
