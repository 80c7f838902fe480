/** Registered lanes: their policies and their state. */
import type { Address } from '../../../core/hex.ts'
import type { Lane } from '../../../core/lane/lane.ts'
import type { LaneProblem } from '../../../core/lane/lane-problem.ts'
import type { Policy } from '../../../core/lane/policy.ts'
import type { ReservationAlarm } from '../../../core/lane/reservation.ts'
import type { Window } from '../../../core/lane/window.ts'
import type { HistoryNote } from '../../../core/transaction/tx-event.ts'
import type { LaneHealth } from '../../../ports/lane-write.ts'
import type { LaneStatus, SignerRecord, Store } from '../../../ports/store.ts'
import type { Database } from '../database.ts'
import { toBytes, toJson, toStored } from '../json-text.ts'
import { CHANNEL, EVENTS_APPENDED, laneNotice, NODES_CHANGED } from '../notice-payload.ts'
import { reachValues } from '../reach-values.ts'
import { readBytes, readPolicy, type Stored } from '../stored-json.ts'

interface SignerRow {
  readonly chain_id: number
  readonly signer: Address
  readonly policy: Stored<Policy>
  readonly label: string | null
  readonly paused: boolean
  readonly created_at: number
  readonly removed_at: number | null
  readonly sends_privately: boolean
  /** In lists only. */
  readonly is_key_away?: boolean | null
}

interface StatusRow extends SignerRow {
  readonly next_nonce: number | null
  readonly queued: number
  readonly in_flight: number
  readonly stuck: number
  readonly owner_node: string | null
  readonly fencing_token: number
  readonly expires_at: number
  readonly is_live: boolean
  readonly free: number
  readonly reserved: number
  readonly lowest_id: string | null
  readonly lowest_nonce: number | null
  readonly lowest_locked_until: number | null
  readonly lowest_state: string | null
  readonly lowest_tenant: string | null
  readonly lowest_holder: string | null
  readonly lowest_hash: string | null
  readonly lowest_alarm: ReservationAlarm | null
  readonly lowest_is_filling: boolean | null
  readonly stuck_reserved: number
  readonly last_confirmation_at: number | null
  readonly last_nonce_movement_at: number | null
  readonly last_signed_at: number | null
  readonly balance_wei: bigint | null
  readonly balance_at: number | null
  readonly chain_latest: number | null
  readonly chain_pending: number | null
  readonly chain_at: number | null
  readonly chain_drift: number | null
  readonly send_window: Window | null
  readonly tx_cost_wei: bigint | null
  readonly tx_cost_samples: number | null
  readonly problems: readonly LaneProblem[]
}

const COLUMNS = 's.chain_id, s.signer, s.policy, s.label, l.paused, l.sends_privately, s.created_at, s.removed_at'

/** A lane's lease and cursor are created with it, so later statements only lock rows that exist. */
const REGISTER = {
  name: 'register_signers',
  text: `
with added as (
  insert into signer (chain_id, signer, policy, label)
  select chain_id, signer, policy, label
    from json_to_recordset($1::json) as i(chain_id bigint, signer bytea, policy jsonb, label text)
   order by chain_id, signer
  on conflict (chain_id, signer) do update
     set policy = excluded.policy, label = excluded.label, removed_at = null
   where $2::boolean and signer.removed_at is not null
  returning chain_id, signer
), leases as (
  insert into signer_lease (chain_id, signer) select chain_id, signer from added on conflict do nothing
), cursors as (
  insert into signer_nonce_cursor (chain_id, signer) select chain_id, signer from added on conflict do nothing
), healths as (
  insert into signer_health (chain_id, signer) select chain_id, signer from added on conflict do nothing
)
select pg_notify('${CHANNEL}', '${NODES_CHANGED}') where exists (select from added)`,
} as const

const LIST = {
  name: 'list_signers',
  text: `
select ${COLUMNS}, h.problems @> '[{"code":"key_unavailable"}]' as is_key_away
  from signer s
  join signer_lease l on l.chain_id = s.chain_id and l.signer = s.signer
  left join signer_health h on h.chain_id = s.chain_id and h.signer = s.signer
 where s.removed_at is null
 order by s.chain_id, s.signer`,
} as const

/** A pause waits for the write in progress, as a takeover does: once it returns, no more nonces are taken. */
const UPDATE = {
  name: 'update_signer',
  text: `
with locked as materialized (
  select from signer_lease l where l.chain_id = $1 and l.signer = $2::bytea and $4::boolean is not null for update
), lane as (
  update signer_lease l set paused = $4
   where l.chain_id = $1 and l.signer = $2::bytea and exists (select from locked)
  returning l.paused
), changed as (
  update signer s
     set policy = coalesce($3::jsonb, s.policy), label = case when $5 then $6 else s.label end
    from signer_lease l
   where s.chain_id = $1 and s.signer = $2::bytea and l.chain_id = s.chain_id and l.signer = s.signer
  returning s.chain_id, s.signer, s.policy, s.label, s.created_at, s.removed_at, l.sends_privately,
            coalesce((select paused from lane), l.paused) as paused
), head as (
  update event_head set last_id = last_id + 1 where exists (select from changed)
  returning last_id, clock_timestamp() as at
), appended as (
  insert into tx_event (event_id, chain_id, signer, type, cause, detail, at, last_at)
  select h.last_id, s.chain_id, s.signer, $8, $9, $10::jsonb, h.at, h.at from changed s cross join head h
  returning 1
)
select s.*, pg_notify('${CHANNEL}', $7), pg_notify('${CHANNEL}', '${NODES_CHANGED}'),
       pg_notify('${CHANNEL}', '${EVENTS_APPENDED}'), (select count(*) from appended) as appended
  from changed s`,
} as const

const STATUS = {
  name: 'list_lane_status',
  text: `
select ${COLUMNS}, c.next_nonce, q.queued, f.in_flight, f.stuck, l.owner_node, l.fencing_token, l.expires_at,
       l.expires_at > clock_timestamp() as is_live, n.free, r.reserved, w.reservation_id as lowest_id,
       w.nonce as lowest_nonce, w.locked_until as lowest_locked_until, w.state as lowest_state,
       w.tenant as lowest_tenant, w.holder as lowest_holder, to_json(w.hash) as lowest_hash, w.alarm as lowest_alarm,
       w.fill_ordered_at is not null as lowest_is_filling, r.stuck_reserved, h.last_confirmation_at,
       h.last_nonce_movement_at, h.last_signed_at, h.balance_wei, h.balance_at, h.chain_latest, h.chain_pending, h.chain_at,
       h.chain_drift, h.send_window, h.tx_cost_wei, h.tx_cost_samples, h.problems
  from signer s
 cross join lateral (select * from signer_health h where h.chain_id = s.chain_id and h.signer = s.signer) h
 cross join lateral (
   select count(*) as free from nonce_allocation n
    where n.chain_id = s.chain_id and n.signer = s.signer and n.is_recyclable) n
 cross join lateral (
   select count(*) filter (where r.yielded_at is null or not exists (
            select from managed_tx t where t.chain_id = r.chain_id and t.signer = r.signer and t.nonce = r.nonce
               and t.nonce is not null and t.final_at is null)) as reserved,
          count(*) filter (where r.alarm is not null) as stuck_reserved
     from nonce_reservation r
    where r.chain_id = s.chain_id and r.signer = s.signer and r.nonce is not null and r.final_at is null) r
  left join lateral (
   select r.reservation_id, r.nonce, r.locked_until, r.state, r.tenant, r.holder, r.alarm, r.fill_ordered_at,
          r.hashes[cardinality(r.hashes)] as hash
     from nonce_reservation r
    where r.chain_id = s.chain_id and r.signer = s.signer and r.nonce is not null and r.final_at is null
      and r.inclusion is null
    order by r.nonce limit 1) w on true
 cross join lateral (select * from signer_lease l where l.chain_id = s.chain_id and l.signer = s.signer) l
 cross join lateral (select * from signer_nonce_cursor c where c.chain_id = s.chain_id and c.signer = s.signer) c
 cross join lateral (
   select count(*) as queued from managed_tx t
    where t.chain_id = s.chain_id and t.signer = s.signer and t.queue_position is not null) q
 cross join lateral (
   select count(*) as in_flight, count(*) filter (where t.state = 'STUCK') as stuck from managed_tx t
    where t.chain_id = s.chain_id and t.signer = s.signer and t.nonce is not null and t.final_at is null) f
 where ($1::bigint is null and s.removed_at is null or (s.chain_id = $1 and s.signer = $2::bytea))
   and ($3::bytea[] is null or s.signer = any($3)) and ($4::bigint[] is null or s.chain_id = any($4))
   and (not $5::boolean or h.problems <> '[]'
        or l.expires_at <= clock_timestamp()
           and (exists (select from managed_tx t
                         where t.chain_id = s.chain_id and t.signer = s.signer and t.queue_position is not null)
                or exists (select from managed_tx t
                            where t.chain_id = s.chain_id and t.signer = s.signer and t.nonce is not null
                              and t.final_at is null)))
 order by s.chain_id, s.signer`,
} as const

export async function registerSigners(
  database: Database,
  signers: Parameters<Store['registerSigners']>[0],
  { restores }: { readonly restores: boolean } = { restores: false },
): Promise<void> {
  if (signers.length === 0) return
  const rows = signers.map(({ lane, policy, label }) => ({
    chain_id: lane.chainId,
    signer: toBytes(lane.signer),
    policy: toStored(policy),
    label,
  }))
  await database.query(REGISTER, [toJson(rows), restores])
}

export async function listSigners(database: Database): Promise<readonly SignerRecord[]> {
  return (await database.query<SignerRow>(LIST, [])).map(toRecord)
}

export async function updateSigner(
  database: Database,
  lane: Lane,
  change: Parameters<Store['updateSigner']>[1],
  note: HistoryNote,
): Promise<SignerRecord | null> {
  const [row] = await database.query<SignerRow>(UPDATE, [
    lane.chainId,
    toBytes(lane.signer),
    change.policy === undefined ? null : toJson(toStored(change.policy)),
    change.paused ?? null,
    change.label !== undefined,
    change.label ?? null,
    laneNotice('lane.work', lane),
    note.type,
    note.cause,
    toJson(toStored(note.detail)),
  ])
  return row === undefined ? null : toRecord(row)
}

export async function listLaneStatus(
  database: Database,
  { lane, reach, troubled = false }: Parameters<Store['listLaneStatus']>[0],
): Promise<readonly LaneStatus[]> {
  const wanted = lane === undefined ? [null, null] : [lane.chainId, toBytes(lane.signer)]
  return (await database.query<StatusRow>(STATUS, [...wanted, ...reachValues(reach), troubled])).map(toStatus)
}

function toRecord(row: SignerRow): SignerRecord {
  return {
    lane: { chainId: row.chain_id, signer: row.signer },
    policy: readPolicy(row.policy),
    label: row.label,
    paused: row.paused,
    createdAt: row.created_at,
    ...(row.removed_at !== null && { removedAt: row.removed_at }),
    ...(row.is_key_away === true && { isKeyAway: true }),
    ...(row.sends_privately && { sendsPrivately: true }),
  }
}

function toStatus(row: StatusRow): LaneStatus {
  const { owner_node: nodeId, fencing_token: fence, expires_at: expiresAt, is_live: live } = row
  return {
    signer: toRecord(row),
    cursor: row.next_nonce,
    queued: row.queued,
    inFlight: row.in_flight,
    stuck: row.stuck,
    reserved: row.reserved,
    lowestReserved: toLowestReserved(row),
    stuckReserved: row.stuck_reserved,
    free: row.free,
    health: toHealth(row),
    lease: nodeId === null ? null : { nodeId, fence, expiresAt, live },
  }
}

function toLowestReserved(row: StatusRow): LaneStatus['lowestReserved'] {
  const { lowest_id: reservationId, lowest_nonce: nonce, lowest_locked_until: lockedUntil } = row
  if (reservationId === null || nonce === null || lockedUntil === null) return null
  return {
    reservationId,
    nonce,
    lockedUntil,
    tenant: row.lowest_tenant,
    holder: row.lowest_holder,
    hash: row.lowest_hash === null ? null : readBytes(row.lowest_hash),
    alarm: row.lowest_alarm,
    isUsed: row.lowest_state === 'USED',
    isFilling: row.lowest_is_filling ?? false,
  }
}

function toHealth(row: StatusRow): LaneHealth {
  const { last_confirmation_at: lastConfirmationAt, last_nonce_movement_at: lastNonceMovementAt } = row
  const { last_signed_at: lastSignedAt } = row
  const { balance_wei: wei, balance_at: at } = row
  const balance = wei === null || at === null ? null : { wei, at }
  const { tx_cost_wei: cost, tx_cost_samples: samples, problems, send_window: window } = row
  const txCost = cost === null || samples === null ? null : { wei: cost, samples }
  const counts = toCounts(row)
  return { lastConfirmationAt, lastNonceMovementAt, lastSignedAt, balance, counts, window, txCost, problems }
}

function toCounts(row: StatusRow): LaneHealth['counts'] {
  const { chain_latest: latest, chain_pending: pending, chain_at: at, chain_drift: drift } = row
  return latest === null || pending === null || at === null || drift === null ? null : { latest, pending, at, drift }
}
