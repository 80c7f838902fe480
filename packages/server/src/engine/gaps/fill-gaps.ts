/**
 * An operator's order to close the gaps of a lane: for each nonce that is known to be free below one that was given
 * out, an empty transaction goes to the head of the queue. Policies that may replace do this by themselves; others
 * never do, so the operator has to order it. The owner decides again when their turn comes: a fill that finds no gap
 * takes no nonce, so two orders at once do no harm.
 */
import { AppError } from '../../core/app-error.ts'
import type { Lane } from '../../core/lane/lane.ts'
import { fillsOrdered, isFill } from '../../core/transaction/fill.ts'
import { awaitsBlock } from '../../core/transaction/lose-nonce.ts'
import type { Queued } from '../../core/transaction/transaction.ts'
import type { OperatorAct } from '../../core/transaction/tx-event.ts'
import type { Clock, Random } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'
import { findGaps } from './free-nonces.ts'
import { insertFills } from './insert-fills.ts'

/** The fills that were queued; throws if there is no gap. */
export type FillGaps = (lane: Lane, by: OperatorAct) => Promise<readonly Queued[]>

interface FillGapPorts {
  readonly store: Pick<Store, 'loadLane' | 'readLaneRequests' | 'readQueue' | 'insertTransactions'>
  readonly clock: Clock
  readonly random: Pick<Random, 'id'>
}

/** Per order; for more gaps, order again. */
const MAX_FILLS = 100

export function createFillGaps(ports: FillGapPorts): FillGaps {
  const { store } = ports
  return async (lane, by) => {
    const [{ inFlight, recyclable }, { reservations }, queue] = await Promise.all([
      store.loadLane(lane),
      store.readLaneRequests(lane),
      store.readQueue(lane, MAX_FILLS),
    ])
    const given = [
      ...inFlight.filter(awaitsBlock).map(({ nonce }) => nonce),
      // An unused reserved nonce may come back, so it is no reason yet to fill what is free below it.
      ...reservations.flatMap(({ nonce, state, inclusion }) =>
        nonce !== null && state === 'USED' && inclusion === null ? [nonce] : [],
      ),
    ]
    const gaps = findGaps(recyclable, null, given.length === 0 ? null : Math.max(...given))
    const coming = queue.filter((tx) => isFill(tx.intent) && !fillsOrdered(tx.intent)).length
    const open = gaps.slice(coming, coming + MAX_FILLS)
    if (open.length === 0) throw noGap(coming)
    return insertFills(ports, lane, open, { by })
  }
}

function noGap(coming: number): AppError {
  const why =
    coming > 0
      ? `${coming} empty transactions for gaps are already queued`
      : 'no nonce below those in flight is known to be free'
  return new AppError('action_forbidden', `There is no gap to fill: ${why}.`)
}
