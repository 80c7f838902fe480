/**
 * The one statement behind every change of a transaction.
 *
 * It holds, checks and writes in this order, and PostgreSQL commits it as a whole:
 *   1. Lock each lane's lease row FOR KEY SHARE, in one fixed order, and keep the lanes whose lease is still the
 *      writer's. A takeover locks the same row FOR UPDATE, so it waits for us or we find its new fence; a renewal changes
 *      no key column and waits for nobody.
 *   2. Lock the cursors and the transactions of those lanes, and compare them with what the writer has seen: first as they
 *      were when the statement began, then again as they are once the lock is had. Versions only grow, so a row that
 *      passes both is the same at both times, and everything else the statement reads of it is current too.
 *   3. Lanes count points: one for the lease, one for the cursor if it moves, one for each transaction. A lane that
 *      misses any passes nothing on to the steps below; its neighbours do not notice.
 *   4. Write the lanes that pass.
 *   5. Last of all take the head of the event stream, whose lock is held until commit: numbers are given out in commit
 *      order, and whoever sees number n also sees all before it. Nothing that could wait comes after, so the order of
 *      locks has no cycle and the head is held for the shortest time.
 *
 * A repeat of a transaction's latest entry adds to its count and takes no number.
 *
 * Lanes and transactions are joined by position in arrays (`pass[lane + 1]`), since a join of two row sets would be
 * quadratic under the pinned plans.
 */
import { CHANNEL, EVENTS_APPENDED } from './notice-payload.ts'

/** $1 lanes, $2 saves: JSON arrays. */
export const WRITE_LANES = {
  name: 'write_lanes',
  text: `
with lane as materialized (
  select * from json_to_recordset($1::json) as l(
    ord int, chain_id bigint, signer bytea, owner_node text, fence bigint, moves boolean, expected bigint, next bigint,
    saves int, nonces json, notice text)
), leased as materialized (
  select l.ord
    from (select * from lane where fence is not null order by chain_id, signer) l
   cross join lateral (
     select from signer_lease s
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
), found as materialized (
  select s.*, t.chain_id, t.signer, t.event_seq, coalesce(s.first_key = t.event_key, false) as repeats
    from (select * from json_to_recordset($2::json) as s(
            ord int, lane int, tx_id uuid, version int, state text, sub_state text, error jsonb, suspended boolean,
            retry_at timestamptz, prepare_failures int, nonce bigint, fencing_token bigint, node_id text,
            allocated_at timestamptz, waiting_since timestamptz, submitted_at timestamptz, last_submit_at timestamptz,
            submit_count int, refusals int, next_resubmit_at timestamptz, new_forks int, inclusion jsonb,
            confirmations jsonb, mined_at timestamptz, stuck_at timestamptz, final_at timestamptz,
            by_node text, by_fence bigint, attempts json, notes json, note_count int, first_count int,
            first_key text, last_key text)
           where (select lanes from holding)[s.lane + 1]
           order by tx_id) s
   cross join lateral (
     select t.chain_id, t.signer, t.event_seq, t.event_key from managed_tx t
      where t.tx_id = s.tx_id and t.version = s.version and t.final_at is null
        for update) t
), verdict as materialized (
  select ord, bool_or(is_held) as is_held, bool_or(is_moved) as is_moved, sum(points) = 0 as passes
    from (select ord, false as is_held, not moves as is_moved, -(1 + moves::int + saves) as points from lane
          union all select ord, true, false, 1 from held
          union all select ord, false, true, 1 from cursor_found
          union all select lane, false, false, 1 from found) p
   group by ord
), passing as materialized (
  select array_agg(passes order by ord) as lanes from verdict
), passed as materialized (
  select * from found where (select lanes from passing)[lane + 1]
), moved as (
  update signer_nonce_cursor c
     set previous_nonce = c.next_nonce, next_nonce = l.next, fencing_token = l.fence
    from lane l
   where l.moves and (select lanes from passing)[l.ord + 1] and c.chain_id = l.chain_id and c.signer = l.signer
  returning 1
), marked as (
  insert into nonce_allocation (chain_id, signer, nonce, status, tx_id)
  select l.chain_id, l.signer, n.nonce, n.status, n.tx_id
    from lane l cross join lateral json_to_recordset(l.nonces) as n(nonce bigint, status text, tx_id uuid)
   where (select lanes from passing)[l.ord + 1]
  on conflict (chain_id, signer, nonce) do update
     set previous_status = nonce_allocation.status, previous_tx_id = nonce_allocation.tx_id,
         status = excluded.status, tx_id = excluded.tx_id
  returning 1
), saved as (
  update managed_tx t
     set version = t.version + 1, state = s.state, sub_state = s.sub_state, error = s.error, suspended = s.suspended,
         queue_position = case when s.state = 'QUEUED' then t.accepted_seq end, retry_at = s.retry_at,
         prepare_failures = s.prepare_failures, nonce = s.nonce, fencing_token = s.fencing_token, node_id = s.node_id,
         allocated_at = s.allocated_at, waiting_since = s.waiting_since, submitted_at = s.submitted_at,
         last_submit_at = s.last_submit_at, submit_count = s.submit_count, refusals = s.refusals,
         next_resubmit_at = s.next_resubmit_at, new_forks = s.new_forks, inclusion = s.inclusion,
         confirmations = s.confirmations, mined_at = s.mined_at, stuck_at = s.stuck_at, final_at = s.final_at,
         event_seq = t.event_seq + s.note_count - s.repeats::int, event_key = coalesce(s.last_key, t.event_key)
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
  update tx_event e set count = e.count + s.first_count, last_at = clock_timestamp()
    from passed s
   where s.repeats and e.tx_id = s.tx_id and e.tx_seq = s.event_seq
  returning 1
), entry as materialized (
  select s.tx_id, s.chain_id, s.signer, n.from_state, n.to_state, n.sub_state, s.by_node, s.by_fence, n.type, n.cause,
         n.detail, n.count, s.event_seq + n.ord + 1 - s.repeats::int as tx_seq,
         row_number() over (order by s.ord, n.ord) as place
    from passed s cross join lateral json_to_recordset(s.notes) as n(
      ord int, type text, cause text, detail jsonb, count int, from_state text, to_state text, sub_state text)
   where not (s.repeats and n.ord = 0)
), head as (
  update event_head
     set last_id = last_id + (select count(*) from entry)
   where exists (select from entry)
     and (select count(*) from moved) + (select count(*) from marked) + (select count(*) from saved)
       + (select count(*) from attempted) + (select count(*) from counted) > 0
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
