/**
 * The reservations of a signer that are not final, lowest nonce first, then those that wait for one. A tenant sees its
 * own. Of other tenants' it sees only that the nonce is taken, and none of those that wait.
 */
import { AppError } from '../../core/app-error.ts'
import type { Lane } from '../../core/lane/lane.ts'
import type { Reservation } from '../../core/lane/reservation.ts'
import type { Page, Store } from '../../ports/store.ts'

export interface ListedReservation {
  readonly nonce: number | null
  /** Null: another tenant's. */
  readonly reservation: Reservation | null
}

/** `tenant`: as that tenant may see them; null: as an operator may. */
export type ListReservations = (
  lane: Lane,
  page: { readonly after: string | null; readonly limit: number },
  tenant?: string | null,
) => Promise<Page<ListedReservation>>

export function createListReservations(store: Pick<Store, 'readLaneRequests'>): ListReservations {
  return async (lane, { after, limit }, tenant = null) => {
    const { reservations } = await store.readLaneRequests(lane)
    const seen = reservations
      .map(({ isExpired: _, ...each }) => each)
      .filter((each) => each.nonce !== null || tenant === null || each.tenant === tenant)
      .sort(compare)
    const start = after === null ? 0 : findStart(seen, after)
    const items = seen.slice(start, start + limit)
    const last = seen.length > start + limit ? items.at(-1) : undefined
    return {
      items: items.map((each) => ({
        nonce: each.nonce,
        reservation: tenant === null || each.tenant === tenant ? each : null,
      })),
      next: last === undefined ? null : cursorOf(last),
    }
  }
}

/** A nonce marks the position without revealing whose it is. */
function cursorOf({ nonce, id }: Reservation): string {
  return nonce === null ? id : String(nonce)
}

/** The item behind the cursor may be gone: continue with what comes after its position. */
function findStart(sorted: readonly Reservation[], after: string): number {
  const isNonce = /^\d{1,16}$/.test(after)
  const index = isNonce
    ? sorted.findIndex(({ nonce }) => nonce === null || nonce > Number(after))
    : sorted.findIndex(({ nonce, id }) => nonce === null && id > after)
  if (!isNonce && !/^[0-9a-f-]{36}$/.test(after))
    throw new AppError('invalid_request', 'after must be the `next` of a previous page.', { field: 'after' })
  return index === -1 ? sorted.length : index
}

function compare(a: Reservation, b: Reservation): number {
  if (a.nonce !== null || b.nonce !== null)
    return (a.nonce ?? Number.POSITIVE_INFINITY) - (b.nonce ?? Number.POSITIVE_INFINITY)
  return a.id < b.id ? -1 : 1
}
