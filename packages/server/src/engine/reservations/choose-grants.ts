/**
 * Who gets the next nonce. Tenants take turns: next is the one whose last turn is longest ago, with its oldest request.
 * No tenant holds more than its share of the window. Requests above a tenant's share wait without blocking those behind
 * them. A service without keys has one tenant, '', which may have all.
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
  /** Tenants that were granted a nonce, the latest last. */
  readonly served: readonly string[]
}

type Asked = Pick<OpenReservation, 'id' | 'state' | 'isExpired' | 'tenant' | 'nonce' | 'inclusion'>

export function chooseGrants(open: readonly Asked[], room: GrantRoom): readonly ReservationId[] {
  if (room.slots <= 0) return []
  const share = shareOf(room.window, room.sharePercent)
  const held = new Map<string, number>()
  const add = (tenant: string) => held.set(tenant, (held.get(tenant) ?? 0) + 1)
  for (const { tenant, nonce, inclusion } of open)
    if (nonce !== null && (room.slotHeldUntil === 'final' || inclusion === null)) add(tenant)
  const line = new Map<string, ReservationId[]>()
  for (const { id, state, isExpired, tenant } of open) {
    if (state !== 'REQUESTED' || isExpired) continue
    const own = line.get(tenant)
    if (own === undefined) line.set(tenant, [id])
    else own.push(id)
  }
  const turns = new Map(room.served.map((tenant, turn) => [tenant, turn]))
  const chosen: ReservationId[] = []
  let turn = room.served.length
  while (chosen.length < room.slots) {
    let next: string | null = null
    for (const [tenant, own] of line) {
      if (own.length === 0 || (tenant !== '' && (held.get(tenant) ?? 0) >= share)) continue
      if (next === null || (turns.get(tenant) ?? -1) < (turns.get(next) ?? -1)) next = tenant
    }
    const id = next === null ? undefined : line.get(next)?.shift()
    if (next === null || id === undefined) break
    add(next)
    turns.set(next, turn++)
    chosen.push(id)
  }
  return chosen
}
