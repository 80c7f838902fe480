/**
 * Takes reservations from their holders, by an operator or because their key was revoked. Like a holder's own action,
 * this carries no fence and assigns no nonce: the lane's owner finds out what happens to the nonce and writes it.
 */
import type { Reservation } from '../../../core/lane/reservation.ts'
import type { ReservationOrder } from '../../../ports/lane-requests.ts'
import { isTxId } from '../../rules/tx-id.ts'
import type { Database } from '../database.ts'
import { toBytes, toText } from '../json-text.ts'
import { CHANNEL, EVENTS_APPENDED } from '../notice-payload.ts'
import { RESERVATION_COLUMNS, type ReservationRow, readReservation } from './reservation-row.ts'

/** $1 is the order; null in $2 to $6 stands for all. Rows are locked in one order, and before the head of the stream. */
const ORDER = {
  name: 'order_reservations',
  text: `
with target as materialized (
  select r.reservation_id from nonce_reservation r
   where r.final_at is null and r.fill_ordered_at is null
     and case when $1::text = 'release' then r.state in ('REQUESTED', 'RESERVED')
              else r.state in ('RESERVED', 'USED') and r.inclusion is null end
     and ($2::bigint is null or (r.chain_id = $2 and r.signer = $3::bytea))
     and ($4::text is null or r.tenant = $4) and ($5::text is null or r.key_id = $5)
     and ($6::uuid[] is null or r.reservation_id = any($6))
   order by r.reservation_id
     for update
), changed as (
  update nonce_reservation r
     set version = r.version + 1,
         state = case when $1::text = 'release' then 'RELEASED' else r.state end,
         fill_ordered_at = case when $1::text = 'fill' then date_trunc('milliseconds', clock_timestamp()) end
    from target t
   where r.reservation_id = t.reservation_id
  returning r.*
), head as (
  update event_head set last_id = last_id + (select count(*) from changed)
   where exists (select from changed)
  returning last_id - (select count(*) from changed) as base, clock_timestamp() as at
), appended as (
  insert into tx_event (event_id, chain_id, signer, type, cause, detail, at, last_at)
  select h.base + row_number() over (order by c.created_at, c.ordinal), c.chain_id, c.signer, $7::text, $8::text,
         json_build_object('reservationId', c.reservation_id, 'tenant', nullif(c.tenant, ''), 'nonce', c.nonce, 'label', c.label,
                           'actor', $9::text, 'reason', $10::text), h.at, h.at
    from changed c cross join head h
  returning 1
), told as materialized (
  select pg_notify('${CHANNEL}', payload)
    from (select distinct format('{"type":"lane.asked","chainId":%s,"signer":"0x%s"}', chain_id, encode(signer, 'hex'))
                 as payload from changed
          union select '${EVENTS_APPENDED}' where exists (select from changed)) n
)
select ${RESERVATION_COLUMNS}, (select count(*) from appended) as appended, (select count(*) from told) as told
  from changed r order by r.created_at, r.ordinal`,
} as const

const ORDER_NOTES = { release: 'reservation.released', fill: 'reservation.fill_ordered' } as const

export async function orderReservations(
  database: Database,
  { type, filter, cause, by }: ReservationOrder,
): Promise<readonly Reservation[]> {
  const { lane, tenant, keyId, ids } = filter
  const rows = await database.query<ReservationRow>(ORDER, [
    ...[type, lane?.chainId ?? null, lane === undefined ? null : toBytes(lane.signer)],
    ...[tenant === undefined ? null : toText(tenant), keyId === undefined ? null : toText(keyId)],
    ...[ids?.filter(isTxId) ?? null, ORDER_NOTES[type], cause, toText(by.actor), toText(by.reason)],
  ])
  return rows.map(readReservation)
}
