/**
 * Reservations, as callers and their holders change them. None of these carries a fence, and none assigns a nonce: they
 * ask the lane's owner, or act on one row that the holder's proof and the database's clock unlock. The owner's own
 * writes lock the same row and check its version, so if a late use and an expiry collide, one of them finds that it
 * came second.
 */
import type { Lane } from '../../../core/lane/lane.ts'
import type { NonceReset } from '../../../core/lane/nonce-reset.ts'
import {
  MAX_HASHES,
  MAX_OPEN_RESERVATIONS,
  type Reservation,
  type ReservationId,
} from '../../../core/lane/reservation.ts'
import type {
  HolderAct,
  HolderOutcome,
  LaneRequests,
  NewReservations,
  OpenReservation,
  ReserveOutcome,
} from '../../../ports/lane-requests.ts'
import { isTxId } from '../../rules/tx-id.ts'
import type { Database } from '../database.ts'
import { toBytes, toJson, toText } from '../json-text.ts'
import { CHANNEL, EVENTS_APPENDED, laneNotice } from '../notice-payload.ts'
import { createReadTogether } from '../read-together.ts'
import { RESERVATION_COLUMNS, type ReservationRow, readReservation } from './reservation-row.ts'
import { RESET_COLUMNS, type ResetRow, readReset } from './reset-statements.ts'

/** Keys are inserted in a fixed order. A second insert with the same request id waits, and then inserts nothing. */
const INSERT = {
  name: 'insert_reservations',
  text: `
with inserted as (
  insert into nonce_reservation as r (reservation_id, chain_id, signer, request_id, ordinal, label, ttl_ms, lock_owner,
                                      state, locked_until, created_at, tenant, key_id, holder)
  select i.reservation_id, $2::bigint, $3::bytea, $4::text, i.ordinal, $5::text, $6::bigint, i.lock_owner, 'REQUESTED',
         n.at + $6::bigint * interval '1 millisecond', n.at, $8::text, $9::text, $10::text
    from json_to_recordset($1::json) as i(reservation_id uuid, ordinal int, lock_owner text)
   cross join (select date_trunc('milliseconds', clock_timestamp()) as at) n
   where exists (select from signer s where s.chain_id = $2::bigint and s.signer = $3::bytea and s.removed_at is null)
     and ($4::text is null or not exists (
       select from nonce_reservation o where o.chain_id = $2::bigint and o.signer = $3::bytea and o.request_id = $4::text
          and o.tenant = $8::text))
     and (select count(*) + json_array_length($1::json) <= $11::int
             and count(*) filter (where o.tenant = $8::text) + json_array_length($1::json) <= $12::int
            from nonce_reservation o
           where o.chain_id = $2::bigint and o.signer = $3::bytea and o.final_at is null)
   order by i.ordinal
  on conflict do nothing
  returning ${RESERVATION_COLUMNS}, r.ordinal
), told as materialized (
  select pg_notify('${CHANNEL}', $7) where exists (select from inserted)
)
select i.*, (select count(*) from told) as told from inserted i order by i.ordinal`,
} as const

const BY_REQUEST = {
  name: 'reservations_by_request',
  text: `
select ${RESERVATION_COLUMNS}, r.lock_owner from nonce_reservation r
 where r.chain_id = $1 and r.signer = $2::bytea and r.request_id = $3 and r.tenant = $4
 order by r.ordinal`,
} as const

const SIGNER_EXISTS = {
  name: 'signer_exists',
  text: 'select 1 as found from signer s where s.chain_id = $1 and s.signer = $2::bytea and s.removed_at is null',
} as const

const FIND = {
  name: 'find_reservations',
  text: `select ${RESERVATION_COLUMNS} from nonce_reservation r where r.reservation_id = any($1::uuid[])`,
} as const

const LANES = 'unnest($1::bigint[], $2::bytea[]) with ordinality as k(chain_id, signer, ord)'

/**
 * A request of a revoked key counts as expired, so no nonce is given to it. A request that the owner read before the
 * revocation was stored before it too: the release that follows the revocation finds it, and its new version refuses
 * the owner's write.
 */
const OPEN = {
  name: 'open_reservations',
  text: `
select k.ord::int - 1 as ord, ${RESERVATION_COLUMNS},
       r.locked_until <= clock_timestamp()
         or (r.state = 'REQUESTED'
             and exists (select from api_key a where a.key_id = r.key_id and a.revoked_at is not null)) as is_expired
  from ${LANES} join nonce_reservation r on r.chain_id = k.chain_id and r.signer = k.signer
 where r.final_at is null order by k.ord, r.created_at, r.ordinal`,
} as const

const OPEN_RESETS = {
  name: 'open_resets',
  text: `
select k.ord::int - 1 as ord, ${RESET_COLUMNS}
  from ${LANES} join nonce_reset r on r.chain_id = k.chain_id and r.signer = k.signer
 where r.answered_at is null order by k.ord, r.requested_at`,
} as const

const ASKED = {
  name: 'lanes_asked',
  text: `
select l.chain_id, l.signer from signer_lease l
 where l.owner_node = $1 and l.expires_at > clock_timestamp()
   and (exists (select from nonce_reservation r
                 where r.chain_id = l.chain_id and r.signer = l.signer and r.final_at is null
                   and (r.state in ('REQUESTED', 'RELEASED') or (r.fill_ordered_at is not null and r.yielded_at is null)
                        or (r.state = 'RESERVED' and r.locked_until <= clock_timestamp())))
        or exists (select from nonce_reset r
                    where r.chain_id = l.chain_id and r.signer = l.signer and r.answered_at is null
                      and r.state = 'REQUESTED'))
 order by l.chain_id, l.signer`,
} as const

/**
 * $3 is the act. A repeated request by a holder has no effect and leaves no trace. A nonce that is reserved keeps its
 * row in nonce_allocation in step; one that is released stays the holder's there until the owner has looked at the
 * chain.
 */
const ACT = {
  name: 'act_on_reservation',
  text: `
with target as materialized (
  select r.* from nonce_reservation r where r.reservation_id = $1::uuid for update
), verdict as materialized (
  select t.reservation_id, t.lock_owner = $2::text as is_owner,
         t.state in ('REQUESTED', 'RESERVED') and t.locked_until <= clock_timestamp() as is_expired,
         case $3::text when 'use' then $4::bytea = any(t.hashes) when 'release' then t.state = 'RELEASED' else false
         end as is_repeat,
         t.final_at is null and case $3::text
           when 'use' then (t.state = 'RESERVED' and t.locked_until > clock_timestamp())
                           or (t.state = 'USED' and cardinality(t.hashes) < ${MAX_HASHES})
           when 'extend' then t.state = 'RESERVED' and t.locked_until > clock_timestamp()
           else t.state in ('REQUESTED', 'RESERVED') end as is_allowed
    from target t
), changed as (
  update nonce_reservation r
     set version = r.version + 1,
         state = case $3::text when 'use' then 'USED' when 'release' then 'RELEASED' else r.state end,
         hashes = case when $3::text = 'use' then r.hashes || $4::bytea else r.hashes end,
         used_at = case when $3::text = 'use' then coalesce(r.used_at, v.at) else r.used_at end,
         alarm = case when $3::text = 'use' then null else r.alarm end,
         alarm_at = case when $3::text = 'use' then null else r.alarm_at end,
         ttl_ms = case when $3::text = 'extend' then $5::bigint else r.ttl_ms end,
         locked_until = case when $3::text = 'extend'
                             then greatest(r.locked_until, v.at + $5::bigint * interval '1 millisecond') else r.locked_until end
    from (select *, date_trunc('milliseconds', clock_timestamp()) as at from verdict
           where is_owner and is_allowed and not is_repeat) v
   where r.reservation_id = v.reservation_id
  returning r.*
), mirrored as (
  update nonce_allocation a
     set previous_status = a.status, previous_tx_id = a.tx_id, previous_lock_owner = a.lock_owner,
         status = case when c.state = 'USED' then 'USED' else a.status end, locked_until = c.locked_until
    from changed c
   where $3::text <> 'release' and a.chain_id = c.chain_id and a.signer = c.signer and a.nonce = c.nonce
     and a.lock_owner = c.lock_owner
  returning 1
), head as (
  update event_head set last_id = last_id + 1
   where exists (select from changed) and (select count(*) from mirrored) >= 0
  returning last_id, clock_timestamp() as at
), appended as (
  insert into tx_event (event_id, chain_id, signer, type, detail, at, last_at)
  select h.last_id, c.chain_id, c.signer, $6::text, json_strip_nulls(json_build_object(
           'reservationId', c.reservation_id, 'tenant', nullif(c.tenant, ''), 'nonce', c.nonce, 'label', c.label,
           'hash', '0x' || encode($4::bytea, 'hex'),
           'lockedUntil', case when $3::text = 'extend' then to_char(c.locked_until, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') end)),
         h.at, h.at
    from changed c cross join head h
  returning 1
), told as materialized (
  select pg_notify('${CHANNEL}', payload)
    from (select format('{"type":"lane.asked","chainId":%s,"signer":"0x%s"}', chain_id, encode(signer, 'hex'))
                 as payload from changed
          union select '${EVENTS_APPENDED}' where exists (select from changed)) n
)
select ${RESERVATION_COLUMNS}, v.is_owner, v.is_expired, v.is_repeat, v.is_allowed,
       (select count(*) from appended) as appended, (select count(*) from told) as told
  from verdict v
 cross join (select * from changed union all select * from target where not exists (select from changed)) r`,
} as const

const ACT_NOTES = { use: 'reservation.used', extend: 'reservation.extended', release: 'reservation.released' } as const

interface ActRow extends ReservationRow {
  readonly is_owner: boolean
  readonly is_expired: boolean
  readonly is_repeat: boolean
  readonly is_allowed: boolean
}

export async function insertReservations(database: Database, request: NewReservations): Promise<ReserveOutcome> {
  const { lane, items, ttlMs, label, requestId, tenant = '', key, most } = request
  const owner = toText(tenant)
  const bounds = [most?.lane ?? MAX_OPEN_RESERVATIONS, most?.tenant ?? MAX_OPEN_RESERVATIONS]
  const signer = toBytes(lane.signer)
  const rows = await database.query<ReservationRow>(INSERT, [
    toJson(items.map(({ id, lockOwner }, ordinal) => ({ reservation_id: id, ordinal, lock_owner: lockOwner }))),
    ...[lane.chainId, signer, requestId, label, ttlMs, laneNotice('lane.asked', lane), owner],
    ...[key?.id ?? null, key === undefined ? null : toText(key.holder), ...bounds],
  ])
  // Fewer than requested: a competing request with the same request id and a smaller count came first.
  if (rows.length === items.length) return { type: 'inserted', reservations: rows.map(readReservation) }
  const earlier =
    requestId === null
      ? []
      : await database.query<ReservationRow & { lock_owner: string }>(BY_REQUEST, [
          ...[lane.chainId, signer, requestId, owner],
        ])
  if (earlier.length === 0) {
    const [known] = await database.query(SIGNER_EXISTS, [lane.chainId, signer])
    return { type: known === undefined ? 'unknown_signer' : 'too_many' }
  }
  return {
    type: 'existing',
    items: earlier.map((row) => ({ reservation: readReservation(row), lockOwner: row.lock_owner })),
  }
}

export async function findReservations(
  database: Database,
  ids: readonly ReservationId[],
): Promise<readonly (Reservation | null)[]> {
  const rows = await database.query<ReservationRow>(FIND, [ids.filter(isTxId)])
  const found = new Map(rows.map((row) => [row.reservation_id, readReservation(row)]))
  return ids.map((id) => found.get(id.toLowerCase()) ?? null)
}

export async function actOnReservation(
  database: Database,
  id: ReservationId,
  lockOwner: string,
  act: HolderAct,
): Promise<HolderOutcome | null> {
  if (!isTxId(id)) return null
  const [row] = await database.query<ActRow>(ACT, [
    ...[id, lockOwner, act.type],
    ...[act.type === 'use' ? toBytes(act.hash) : null, act.type === 'extend' ? act.ttlMs : null, ACT_NOTES[act.type]],
  ])
  if (row === undefined) return null
  if (!row.is_owner) return { type: 'not_owner' }
  const reservation = readReservation(row)
  if (row.is_repeat || row.is_allowed) return { type: 'done', reservation }
  return { type: row.is_expired || row.state === 'EXPIRED' ? 'expired' : 'refused', reservation }
}

/** Two statements at two moments: each action checks the version of its row. */
export function createLaneRequestReads(database: Database): (lane: Lane) => Promise<LaneRequests> {
  return createReadTogether(async (lanes) => {
    const values = [lanes.map(({ chainId }) => chainId), lanes.map(({ signer }) => toBytes(signer))]
    const [reservations, resets] = await Promise.all([
      database.query<ReservationRow & { ord: number; is_expired: boolean }>(OPEN, values),
      database.query<ResetRow & { ord: number }>(OPEN_RESETS, values),
    ])
    const asked = lanes.map(() => ({ reservations: [] as OpenReservation[], resets: [] as NonceReset[] }))
    for (const row of reservations)
      asked[row.ord]?.reservations.push({ ...readReservation(row), isExpired: row.is_expired })
    for (const row of resets) asked[row.ord]?.resets.push(readReset(row))
    return asked
  })
}

export async function lanesAsked(database: Database, nodeId: string): Promise<readonly Lane[]> {
  const rows = await database.query<Pick<ReservationRow, 'chain_id' | 'signer'>>(ASKED, [nodeId])
  return rows.map((row) => ({ chainId: row.chain_id, signer: row.signer }))
}
