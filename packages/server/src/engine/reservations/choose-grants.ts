/**
 * Who gets the next nonce: first come, first served, but no tenant holds more than its share of the window. Requests
 * above a tenant's share wait without blocking those behind them. A service without keys has one tenant, '', which may
 * have all.
 */

import { shareOf } from '../../core/access/tenant-share.ts'
import type { Policy } from '../../core/lane/policy.ts'
import type { ReservationId } from '../../core/lane/reservation.ts'
import type { OpenReservation } from '../../ports/lane-requests.ts'

export interface GrantRoom {
  /** How many more nonces may be outstanding. */
  readonly slots: number
  /** How many may be outstanding at once. */
  readonly window: number
  readonly sharePercent: number
  readonly slotHeldUntil: Policy['slotHeldUntil']
}

type Asked = Pick<OpenReservation, 'id' | 'state' | 'isExpired' | 'tenant' | 'nonce' | 'inclusion'>

export function chooseGrants(open: readonly Asked[], room: GrantRoom): readonly ReservationId[] {
  const share = shareOf(room.window, room.sharePercent)
  const held = new Map<string, number>()
  const add = (tenant: string) => held.set(tenant, (held.get(tenant) ?? 0) + 1)
  for (const { tenant, nonce, inclusion } of open)
    if (nonce !== null && (room.slotHeldUntil === 'final' || inclusion === null)) add(tenant)
  const chosen: ReservationId[] = []
  for (const { id, state, isExpired, tenant } of open) {
    if (chosen.length >= room.slots) break
    if (state !== 'REQUESTED' || isExpired) continue
    if (tenant !== '' && (held.get(tenant) ?? 0) >= share) continue
    add(tenant)
    chosen.push(id)
  }
  return chosen
}
