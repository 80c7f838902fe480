/**
 * An operator takes reserved nonces from their holders so that a signer can continue. An unused nonce goes back. If the
 * holder reported a transaction that no RPC node knows, the nonce is filled: the lane sends its own empty transaction
 * under it, and whichever of the two is mined uses it, so nothing is ever executed in its place. If a node knows the
 * transaction, it is left alone: it is in flight.
 */
import { AppError } from '../../core/app-error.ts'
import type { Lane } from '../../core/lane/lane.ts'
import type { Reservation, ReservationId } from '../../core/lane/reservation.ts'
import type { OperatorAct } from '../../core/transaction/tx-event.ts'
import type { Chain } from '../../ports/chain.ts'
import { ChainUnavailable } from '../../ports/chain.ts'
import type { ReservationFilter } from '../../ports/lane-requests.ts'
import type { Store } from '../../ports/store.ts'
import { findUnknown } from './find-unknown.ts'

export type TakeBackAction = 'release' | 'fill'

export interface TakenNonce {
  readonly reservation: Reservation
  readonly outcome: 'released' | 'filled' | 'left'
  /** Why it was left alone; null if it was not. */
  readonly why: string | null
}

export type TakeBackFilter = Omit<ReservationFilter, 'lane' | 'ids'> & { readonly id?: ReservationId }

/** The outcome for each reservation of the lane that matches the filter and holds, or waits for, a nonce. */
export type TakeBackNonces = (
  lane: Lane,
  order: { readonly action: TakeBackAction; readonly filter: TakeBackFilter; readonly by: OperatorAct },
) => Promise<readonly TakenNonce[]>

interface TakeBackPorts {
  readonly store: Pick<Store, 'readLaneRequests' | 'orderReservations'>
  readonly chains: ReadonlyMap<number, Pick<Chain, 'findTransactionsAnywhere'>>
}

export function createTakeBackNonces({ store, chains }: TakeBackPorts): TakeBackNonces {
  async function findAbandoned(lane: Lane, used: readonly Reservation[]): Promise<ReadonlySet<ReservationId>> {
    const chain = chains.get(lane.chainId)
    if (used.length === 0 || chain === undefined) return new Set()
    try {
      return await findUnknown(chain, lane, used)
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error
      const message = "No RPC node responds, so Drover cannot check the holders' transactions."
      throw new AppError('chain_unavailable', message, {}, { cause: error })
    }
  }

  return async (lane, { action, filter, by }) => {
    const chosen = (await store.readLaneRequests(lane)).reservations.filter((each) => fits(each, filter))
    const open = chosen.filter(({ inclusion, fillOrderedAt }) => inclusion === null && fillOrderedAt === null)
    const unused = open.filter(({ state }) => state === 'RESERVED' || state === 'REQUESTED')
    const unknown = await findAbandoned(
      lane,
      open.filter(({ state }) => state === 'USED'),
    )
    const reserved = unused.filter(({ nonce }) => nonce !== null).map(({ id }) => id)
    const toFill = [...unknown, ...(action === 'fill' ? reserved : [])]
    const toRelease = unused.map(({ id }) => id).filter((id) => !toFill.includes(id))
    const give = async (type: TakeBackAction, ids: readonly ReservationId[]) =>
      ids.length === 0 ? [] : await store.orderReservations({ type, filter: { lane, ids }, cause: 'operator', by })
    const filled = await give('fill', toFill)
    const released = await give('release', toRelease)
    const done = new Map<ReservationId, TakenNonce>()
    for (const reservation of filled) done.set(reservation.id, { reservation, outcome: 'filled', why: null })
    for (const reservation of released) done.set(reservation.id, { reservation, outcome: 'released', why: null })
    return chosen.map((each) => done.get(each.id) ?? { reservation: each, outcome: 'left', why: explainLeft(each) })
  }
}

function fits({ id, tenant, keyId }: Reservation, filter: TakeBackFilter): boolean {
  return (
    (filter.id === undefined || filter.id === id) &&
    (filter.tenant === undefined || filter.tenant === tenant) &&
    (filter.keyId === undefined || filter.keyId === keyId)
  )
}

function explainLeft({ inclusion, fillOrderedAt, state }: Reservation): string {
  if (inclusion !== null) return `its transaction is in block ${inclusion.blockNumber}`
  if (fillOrderedAt !== null) return 'an empty transaction is already taking its nonce'
  if (state === 'USED') return 'an RPC node knows its transaction, which is waiting to be mined'
  return 'it is already being released'
}
