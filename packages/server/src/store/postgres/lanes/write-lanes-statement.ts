/**
 * The one statement behind every change of a transaction.
 *
 * It holds, checks and writes in this order, and PostgreSQL commits it as a whole:
 *   1. Lock each lane's lease row FOR KEY SHARE, in one fixed order, and keep the lanes whose lease is still the
 *      writer's. A pause locks it FOR UPDATE too, so that a lane that takes nonces sees the pause or goes before it. A
 *      takeover locks the same row FOR UPDATE, so it waits for us or we find its new fence; a renewal changes no
 *      key column and waits for nothing.
 *   2. Lock the cursors and the transactions of those lanes, and compare them with what the writer has seen: first as
 *      they were when the statement began, then again once the lock is held. Versions only grow, so a row that passes
 *      both is the same at both times, and everything else the statement reads of it is current too.
 *   3. Lanes count points: one for the lease, one for the cursor if it moves, one for a reset that is not answered
 *      yet, one for each transaction and each reservation. A lane that misses any passes nothing on to the steps below; other lanes are not affected.
 *   4. Write the lanes that pass.
 *   5. Last of all take the head of the event stream, whose lock is held until commit: numbers are assigned in commit
 *      order, and a reader that sees number n also sees all before it. Nothing that could wait comes after, so the
 *      order of locks has no cycle and the head is held for the shortest time.
 *
 * A routine note that is among the transaction's open entries (from `event_open_from` on, since the last news) adds
 * to that entry's count and takes no number.
 *
 * Lanes and transactions are joined by position in arrays (`pass[lane + 1]`), since a join of two row sets would be
 * quadratic under the pinned plans.
 */
import { CHANNEL, EVENTS_APPENDED } from '../notice-payload.ts'

/** $1 lanes, $2 saves, $3 reservations, $4 lists of confirming blocks: JSON arrays. */
export const WRITE_LANES = {
  name: 'write_lanes',
  isVital: true,
  text: `
with lane as materialized (
  select * from json_to_recordset($1::json) as l(
    ord int, chain_id bigint, signer bytea, owner_node text, fence bigint, moves boolean, expected bigint, next bigint,
    saves int, nonces json, notice text, notes json, reservations int, reset_id uuid, reset_state text, refusal text, reset_txs uuid[],
    mined_at timestamptz, final_at timestamptz, balance numeric, balance_at timestamptz, send_window jsonb,
    takes boolean, latest bigint, pending bigint, counts_at timestamptz, drift bigint,
    tx_cost numeric, tx_cost_samples int, problems jsonb, signed_at timestamptz, timeline bigint)
), writer as materialized (
  select array_agg(owner_node order by ord) as nodes, array_agg(fence order by ord) as fences from lane
), leased as materialized (
  select l.ord, l.takes and s.paused as is_paused
    from (select * from lane where fence is not null order by chain_id, signer) l
   cross join lateral (
     select s.paused from signer_lease s
      where s.chain_id = l.chain_id and s.signer = l.signer and s.owner_node = l.owner_node
        and s.fencing_token = l.fence and s.expires_at > clock_timestamp()
        for key share) s
), held as materialized (
  select ord from leased union all select ord from lane where fence is null
), holding as materialized (
  select array_agg(is_held order by ord) as lanes
    from (select ord, bool_or(is_held) as is_held
            from (select ord, true as is_held from held union all select ord, false from lane) h group by ord) g
), cursor_found as materialized (
  select l.ord
    from (select * from lane where moves and (select lanes from holding)[ord + 1] order by chain_id, signer) l
   cross join lateral (
     select from signer_nonce_cursor c
      where c.chain_id = l.chain_id and c.signer = l.signer and c.next_nonce is not distinct from l.expected
        for update) c
   where l.reset_id is null
      or not exists (select from managed_tx t
                      where t.chain_id = l.chain_id and t.signer = l.signer and t.nonce >= l.next
                        and t.nonce is not null and t.final_at is null)
     and not exists (select from nonce_reservation r
                      where r.chain_id = l.chain_id and r.signer = l.signer and r.nonce >= l.next
                        and r.nonce is not null and r.final_at is null)
), found as materialized (
  select s.*, t.chain_id, t.signer, t.event_seq, t.event_open_from
    from (select * from json_to_recordset($2::json) as s(
            ord int, lane int, tx_id uuid, version int, state text, sub_state text, error jsonb, suspended boolean,
            retry_at timestamptz, prepare_failures int, nonce bigint, fencing_token bigint, node_id text,
            allocated_at timestamptz, waiting_since timestamptz, submitted_at timestamptz, last_submit_at timestamptz,
            submit_count int, refusals int, next_resubmit_at timestamptz, new_forks int, wish text,
            may_be_held boolean, refusal jsonb, inclusion jsonb, proof int, mined_at timestamptz, stuck_at timestamptz, final_at timestamptz,
            approval jsonb, approve_by timestamptz, attempts json, notes json, note_count int, may_repeat boolean,
            opens_after int)
           where (select lanes from holding)[s.lane + 1]
           order by tx_id) s
   cross join lateral (
     select t.chain_id, t.signer, t.event_seq, t.event_open_from from managed_tx t
      where t.tx_id = s.tx_id and t.version = s.version and t.final_at is null
        for update) t
), held_nonce as materialized (
  select r.*, n.lock_owner,
         case when r.locks
              then date_trunc('milliseconds', clock_timestamp() + n.ttl_ms * interval '1 millisecond')
              else n.locked_until end as locked_until
    from (select * from json_to_recordset($3::json) as r(
            lane int, reservation_id uuid, version int, state text, nonce bigint, fencing_token bigint, locks boolean,
            inclusion jsonb, result text, reserved_at timestamptz, mined_at timestamptz, final_at timestamptz,
            alarm text, alarm_at timestamptz, yielded_at timestamptz)
           where (select lanes from holding)[r.lane + 1]
           order by reservation_id) r
   cross join lateral (
     select n.lock_owner, n.ttl_ms, n.locked_until from nonce_reservation n
      where n.reservation_id = r.reservation_id and n.version = r.version and n.final_at is null
        for update) n
), reset_found as materialized (
  select l.ord
    from (select * from lane
           where reset_id is not null and (select lanes from holding)[ord + 1] order by chain_id, signer) l
   cross join lateral (
     select from nonce_reset r where r.reset_id = l.reset_id and r.answered_at is null for update) r
), verdict as materialized (
  select ord, bool_or(is_held) as is_held, bool_or(is_moved) as is_moved, sum(points) = 0 as passes
    from (select ord, false as is_held, not moves as is_moved,
                 -(1 + moves::int + (reset_id is not null)::int + saves + reservations) as points
            from lane
          union all select ord, true, false, 1 from held
          union all select ord, false, false, -1 from leased where is_paused
          union all select ord, false, true, 1 from cursor_found
          union all select ord, false, false, 1 from reset_found
          union all select lane, false, false, 1 from found
          union all select lane, false, false, 1 from held_nonce) p
   group by ord
), passing as materialized (
  select array_agg(passes order by ord) as lanes from verdict
), passed as materialized (
  select f.*, coalesce(k.known, '{}') as known, coalesce(k.repeats, 0) as repeats
    from found f
    left join lateral (
      select array_agg(e.tx_seq order by n.ord) as known, count(e.tx_seq)::int as repeats
        from json_to_recordset(f.notes) as n(
          ord int, type text, cause text, sub_state text, may_repeat boolean)
        left join lateral (
          select e.tx_seq from tx_event e
           where n.may_repeat and e.tx_id = f.tx_id and e.tx_seq >= f.event_open_from and e.type = n.type
             and e.cause is not distinct from n.cause and e.sub_state = n.sub_state
           limit 1) e on true
       where f.may_repeat) k on true
   where (select lanes from passing)[f.lane + 1]
), moved as (
  update signer_nonce_cursor c
     set previous_nonce = c.next_nonce, next_nonce = l.next, fencing_token = l.fence,
         previous_reset_id = c.reset_id, reset_id = coalesce(l.reset_id, c.reset_id),
         timeline = coalesce(l.timeline, c.timeline)
    from lane l
   where l.moves and (select lanes from passing)[l.ord + 1] and c.chain_id = l.chain_id and c.signer = l.signer
  returning 1
), forgotten as (
  delete from nonce_allocation a using lane l
   where l.reset_id is not null and l.moves and (select lanes from passing)[l.ord + 1]
     and a.chain_id = l.chain_id and a.signer = l.signer and a.nonce >= l.next
  returning 1
), overtaken as (
  update nonce_allocation a
     set previous_status = a.status, previous_tx_id = a.tx_id, previous_lock_owner = a.lock_owner, status = 'USED'
    from lane l
   where l.reset_id is not null and l.moves and (select lanes from passing)[l.ord + 1]
     and a.chain_id = l.chain_id and a.signer = l.signer and a.nonce < l.next and a.is_recyclable
  returning 1
), answered as (
  update nonce_reset r
     set state = l.reset_state, refusal = l.refusal, tx_ids = coalesce(l.reset_txs, r.tx_ids),
         answered_at = case when l.reset_state <> 'CANCELLING' then date_trunc('milliseconds', clock_timestamp()) end,
         from_nonce = case when l.moves then l.expected end, to_nonce = case when l.moves then l.next end
    from lane l
   where (select lanes from passing)[l.ord + 1] and r.reset_id = l.reset_id and r.answered_at is null
  returning 1
), seen as (
  update signer_health h
     set last_nonce_movement_at = greatest(h.last_nonce_movement_at, l.mined_at),
         last_confirmation_at = greatest(h.last_confirmation_at, l.final_at),
         balance_wei = coalesce(l.balance, h.balance_wei), balance_at = coalesce(l.balance_at, h.balance_at),
         chain_latest = coalesce(l.latest, h.chain_latest), chain_pending = coalesce(l.pending, h.chain_pending),
         chain_at = coalesce(l.counts_at, h.chain_at), chain_drift = coalesce(l.drift, h.chain_drift),
         send_window = coalesce(l.send_window, h.send_window), tx_cost_wei = coalesce(l.tx_cost, h.tx_cost_wei),
         tx_cost_samples = coalesce(l.tx_cost_samples, h.tx_cost_samples),
         problems = coalesce(l.problems, h.problems), last_signed_at = greatest(h.last_signed_at, l.signed_at)
    from lane l
   where (select lanes from passing)[l.ord + 1]
     and num_nonnulls(l.mined_at, l.final_at, l.balance, l.latest, l.send_window, l.tx_cost, l.problems,
                     l.signed_at) > 0
     and h.chain_id = l.chain_id and h.signer = l.signer
  returning 1
), reserved as (
  update nonce_reservation n
     set version = n.version + 1, state = r.state, nonce = r.nonce, fencing_token = r.fencing_token,
         locked_until = r.locked_until, inclusion = r.inclusion, result = r.result, reserved_at = r.reserved_at,
         mined_at = r.mined_at, final_at = r.final_at, alarm = r.alarm, alarm_at = r.alarm_at,
         yielded_at = r.yielded_at
    from held_nonce r
   where (select lanes from passing)[r.lane + 1] and n.reservation_id = r.reservation_id
  returning 1
), marked as (
  insert into nonce_allocation (chain_id, signer, nonce, status, tx_id, lock_owner, locked_until)
  select l.chain_id, l.signer, n.nonce, n.status, n.tx_id, r.lock_owner, r.locked_until
    from lane l
   cross join lateral json_to_recordset(l.nonces) as n(nonce bigint, status text, tx_id uuid, reservation_id uuid)
    left join lateral (
      select r.lock_owner, r.locked_until from held_nonce r
       where n.reservation_id is not null and r.reservation_id = n.reservation_id) r on true
   where (select lanes from passing)[l.ord + 1]
  on conflict (chain_id, signer, nonce) do update
     set previous_status = nonce_allocation.status, previous_tx_id = nonce_allocation.tx_id,
         previous_lock_owner = nonce_allocation.lock_owner, status = excluded.status, tx_id = excluded.tx_id,
         lock_owner = excluded.lock_owner, locked_until = excluded.locked_until
  returning 1
), saved as (
  update managed_tx t
     set version = t.version + 1, state = s.state, sub_state = s.sub_state, error = s.error, suspended = s.suspended,
         queue_position = case when s.state = 'QUEUED' then t.accepted_seq end, retry_at = s.retry_at,
         prepare_failures = s.prepare_failures, nonce = s.nonce, fencing_token = s.fencing_token, node_id = s.node_id,
         allocated_at = s.allocated_at, waiting_since = s.waiting_since, submitted_at = s.submitted_at,
         last_submit_at = s.last_submit_at, submit_count = s.submit_count, refusals = s.refusals,
         next_resubmit_at = s.next_resubmit_at, new_forks = s.new_forks, wish = s.wish,
         may_be_held = s.may_be_held, refusal = s.refusal, inclusion = s.inclusion, confirmations = $4::jsonb -> s.proof, mined_at = s.mined_at, stuck_at = s.stuck_at, final_at = s.final_at,
         approval = s.approval, approve_by = s.approve_by,
         event_seq = t.event_seq + s.note_count - s.repeats,
         event_open_from = coalesce(t.event_seq + s.opens_after + 1 - s.repeats, t.event_open_from)
    from passed s
   where t.tx_id = s.tx_id
  returning 1
), attempted as (
  insert into tx_attempt (hash, tx_id, ordinal, raw, kind, nonce, gas_limit, fees, created_at)
  select a.hash, s.tx_id, a.ordinal, a.raw, a.kind, a.nonce, a.gas_limit, a.fees, a.created_at
    from passed s cross join lateral json_to_recordset(s.attempts) as a(
      hash bytea, ordinal int, raw bytea, kind text, nonce bigint, gas_limit numeric, fees jsonb,
      created_at timestamptz)
  returning 1
), counted as (
  update tx_event e set count = e.count + n.count, last_at = clock_timestamp()
    from (select s.tx_id, s.known[n.ord + 1] as tx_seq, n.count
            from passed s cross join lateral json_to_recordset(s.notes) as n(ord int, count int)
           where s.repeats > 0) n
   where e.tx_id = n.tx_id and e.tx_seq = n.tx_seq
  returning 1
), entry as materialized (
  select e.*, row_number() over (order by of_lane, first_ord, second_ord) as place
    from (select s.tx_id, s.chain_id, s.signer, n.from_state, n.to_state, n.sub_state, (select nodes from writer)[s.lane + 1] as by_node,
                 (select fences from writer)[s.lane + 1] as by_fence, n.type,
                 n.cause, n.detail, n.count,
                 s.event_seq + n.ord + 1 - cardinality(array_remove(s.known[1:n.ord], null)) as tx_seq,
                 false as of_lane, s.ord as first_ord, n.ord as second_ord
            from passed s cross join lateral json_to_recordset(s.notes) as n(
              ord int, type text, cause text, detail jsonb, count int, from_state text, to_state text, sub_state text)
           where s.known[n.ord + 1] is null
          union all
          select null, l.chain_id, l.signer, null, null, null, l.owner_node, l.fence, n.type, n.cause, n.detail, 1,
                 null, true, l.ord, n.ord
            from lane l cross join lateral json_to_recordset(l.notes) as n(
              ord int, type text, cause text, detail jsonb)
           where (select lanes from passing)[l.ord + 1]) e
), head as (
  update event_head
     set last_id = last_id + (select count(*) from entry)
   where exists (select from entry)
     and (select count(*) from moved) + (select count(*) from marked) + (select count(*) from saved)
       + (select count(*) from attempted) + (select count(*) from counted) + (select count(*) from forgotten)
       + (select count(*) from overtaken) + (select count(*) from answered) + (select count(*) from seen)
       + (select count(*) from reserved) >= 0
  returning last_id - (select count(*) from entry) as base, clock_timestamp() as at
), appended as (
  insert into tx_event (event_id, tx_id, tx_seq, chain_id, signer, type, cause, from_state, to_state, sub_state,
                        node_id, fencing_token, detail, at, count, last_at)
  select h.base + e.place, e.tx_id, e.tx_seq, e.chain_id, e.signer, e.type, e.cause, e.from_state, e.to_state,
         e.sub_state, e.by_node, e.by_fence, e.detail, h.at, e.count, h.at
    from entry e cross join head h
  returning 1
), told as materialized (
  select pg_notify('${CHANNEL}', notice)
    from (select notice from lane where notice is not null and (select lanes from passing)[ord + 1]
          union select '${EVENTS_APPENDED}' where exists (select from entry)) n
)
select v.ord, v.is_held, v.is_moved, v.passes, (select count(*) from saved) as saved,
       (select count(*) from appended) as appended, (select count(*) from told) as told
  from verdict v order by v.ord`,
} as const
