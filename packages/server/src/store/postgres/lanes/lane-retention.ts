/** The end of reservations, and of events that belong to no transaction. Like the end of transactions, it waits for nobody. */
import type { Database } from '../database.ts'
import { TURN, type TurnRow } from '../transactions/retention-statements.ts'

/**
 * Several reservations may be asked for under one request id. They go together, once the last of them is old: a repeat
 * of the request finds all of them or none.
 */
const DELETE_RESERVATIONS = {
  name: 'delete_reservations',
  text: `
with ${TURN}, old as materialized (
  select clock_timestamp() - $1 * interval '1 millisecond' as before
), due as materialized (
  select r.reservation_id, r.chain_id, r.signer, r.request_id, r.tenant from nonce_reservation r
   where r.final_at <= (select before from old) and (select mine from turn)
     and (r.request_id is null or not exists (
       select from nonce_reservation o
        where o.chain_id = r.chain_id and o.signer = r.signer and o.request_id = r.request_id and o.tenant = r.tenant
          and (o.final_at is null or o.final_at > (select before from old))))
   order by r.final_at limit $2
), whole as materialized (
  select d.reservation_id from due d
  union
  select o.reservation_id from due d
    join nonce_reservation o on o.chain_id = d.chain_id and o.signer = d.signer and o.request_id = d.request_id
     and o.tenant = d.tenant
), deleted as (
  delete from nonce_reservation r using whole w where r.reservation_id = w.reservation_id
)
select (select mine from turn) as mine, (select count(*) from whole) as count`,
} as const

const DELETE_EVENTS = {
  name: 'delete_lane_events',
  text: `
with ${TURN}, due as materialized (
  select e.event_id from tx_event e
   where e.tx_id is null and e.at <= clock_timestamp() - $1 * interval '1 millisecond' and (select mine from turn)
     and (not $3 or e.event_id <= (select a.up_to from archive_mark a where a.kind = 'events'))
     and not exists (
       select from webhook w where exists (
         select from webhook_delivery d
          where d.webhook_id = w.webhook_id and d.event_id = e.event_id and d.state = 'PENDING'))
   order by e.at limit $2
), deleted as (
  delete from tx_event e using due d where e.event_id = d.event_id
)
select (select mine from turn) as mine, (select count(*) from due) as count`,
} as const

export async function deleteReservations(
  database: Database,
  finalForMs: number,
  limit: number,
): Promise<number | null> {
  const [row] = await database.query<TurnRow>(DELETE_RESERVATIONS, [finalForMs, limit])
  return row?.mine === true ? row.count : null
}

export async function deleteLaneEvents(
  database: Database,
  olderThanMs: number,
  limit: number,
  onlyArchived = false,
): Promise<number | null> {
  const [row] = await database.query<TurnRow>(DELETE_EVENTS, [olderThanMs, limit, onlyArchived])
  return row?.mine === true ? row.count : null
}
