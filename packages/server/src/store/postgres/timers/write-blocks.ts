/**
 * Writes the kernel's output for some blocks, in one statement that holds the chain's timer lease: the blocks, what
 * fired, the current state of the timers, and the transactions of fires whose block is deep enough.
 *
 * If blocks were dropped, their fires are deleted first. A fire that became a transaction stays, and is an orphan until
 * the same fire comes again: then it gets another name, and no other transaction. `fire_key` is what makes two fires
 * the same. Only a fire whose transaction was withdrawn, and ended without a nonce, starts anew.
 */
import { TOO_MANY_FAILURES } from '../../../core/timer/timer.ts'
import type { BlocksWrite, BlocksWriteResult } from '../../../ports/timer-store.ts'
import type { Database } from '../database.ts'
import { toBytes, toJson, toStored } from '../json-text.ts'
import { lockOf } from '../transactions/acceptance-order.ts'
import { ACCEPTED_FIELDS, acceptSteps, toAcceptedRow } from '../transactions/acceptance-steps.ts'
import { HELD } from './timer-lease-statements.ts'
import { FIRE_FIELDS, toFireRow } from './timer-rows.ts'

/** How many of a timer's last fires are checked to count those in flight. */
const LOOK_BACK = 128
const MAX_ALIASES = 16

/** By a command: no block brings it back. */
const IS_ENDED = `(t.state in ('PAUSED', 'CANCELLED') or t.end_reason = '${TOO_MANY_FAILURES}')`

/** Steps that write the state of timers. They need a step `moved` that has a row if anything may be written. */
export const CHANGE_STEPS = (changes: string) => `
changed as (
  update timer t
     set due_height = case when ${IS_ENDED} then null else v.due_height end,
         fire_count = t.base_fires + v.fire_seq, spec = coalesce(v.spec, t.spec),
         failures = case when v.spec is null then t.failures else 0 end,
         state = case when ${IS_ENDED} then t.state when v.is_live then 'ACTIVE' else v.end_state end,
         end_reason = case when ${IS_ENDED} then t.end_reason else v.end_reason end
    from json_to_recordset(${changes}::json) as v(
      kernel_id bytea, is_live boolean, due_height bigint, fire_seq bigint, end_state text, end_reason text, spec jsonb)
   where t.kernel_id = v.kernel_id and exists (select from moved)
  returning 1
)`

const WRITE = {
  name: 'write_timer_blocks',
  text: `
with locked as materialized (
  select pg_advisory_xact_lock(key) from (select key from unnest($12::bigint[]) key order by key) k
), ${HELD}, unjudged as materialized (
  select from json_to_recordset($10::json) as w(is_refused boolean, subjects text[], judged_by text[])
   where not w.is_refused
     and exists (select from spending_account a where a.subject = any(w.subjects) and a.subject <> all(w.judged_by))
), moved as (
  insert into timer_chain (chain_id, height, block_hash, state_root, queue)
  select $1, b.height, b.block_hash, b.state_root, $13::jsonb
    from (select * from json_to_recordset($7::json) as b(height bigint, block_hash bytea, state_root bytea)
          union all
          select height, block_hash, state_root from timer_chain
           where chain_id = $1 and json_array_length($7::json) = 0) b
   where exists (select from held) and (select count(*) from locked) >= 0 and not exists (select from unjudged)
     and ($4::bigint is null or exists (select from timer_chain where chain_id = $1))
   order by b.height desc limit 1
  on conflict (chain_id) do update
     set height = excluded.height, block_hash = excluded.block_hash, state_root = excluded.state_root,
         queue = excluded.queue
   where timer_chain.height = $4 and timer_chain.block_hash = $5
  returning 1
), dropped_blocks as (
  delete from timer_block where chain_id = $1 and height > $6 and exists (select from moved) returning 1
), dropped_fires as (
  delete from mailbox_entry
   where chain_id = $1 and height > $6 and state <> 'QUEUED' and exists (select from moved) returning 1
), added as (
  insert into timer_block (chain_id, height, block_hash, state_root, parent_state_root, keys)
  select $1, b.height, b.block_hash, b.state_root, b.parent_state_root,
         array(select key::bytea from json_array_elements_text(b.keys) key)
    from json_to_recordset($7::json) as b(
      height bigint, block_hash bytea, state_root bytea, parent_state_root bytea, keys json)
   where exists (select from moved) and (select count(*) from dropped_blocks) >= 0
  returning 1
), fire as materialized (
  select * from json_to_recordset($8::json) as f(${FIRE_FIELDS})
), voided as (
  delete from mailbox_entry e using managed_tx t
   where e.chain_id = $1 and e.withdrawn and e.fire_key in (select f.fire_key from fire f) and t.tx_id = e.tx_id
     and t.state = 'CANCELLED' and t.nonce is null and exists (select from moved)
  returning e.fire_key, e.deliver_id, e.aliases
), orphans as (
  update mailbox_entry e
     set orphaned = true, withdrawn = exists (select from managed_tx t where t.tx_id = e.tx_id and t.state = 'QUEUED')
   where e.chain_id = $1 and e.height > $6 and e.state = 'QUEUED' and not e.orphaned and exists (select from moved)
     and not exists (select from fire f where f.fire_key = e.fire_key)
  returning 1
), wanted as materialized (
  select w.*, row_number() over (partition by w.timer_id order by w.ord) as turn
    from json_to_recordset($10::json) as w(
      deliver_id bytea, fire_key bytea, timer_id uuid, max_open int, is_refused boolean, is_skipped_unfunded boolean,
      ${ACCEPTED_FIELDS})
   where exists (select from moved)
     and not exists (select from mailbox_entry e
                      where e.chain_id = $1 and e.fire_key = w.fire_key and e.state = 'QUEUED'
                        and e.fire_key not in (select v.fire_key from voided v))
), judged as materialized (
  select w.*,
         case when w.is_refused then 'refused_by_rule'
              when w.is_skipped_unfunded
               and exists (select from signer_health h
                            where h.chain_id = w.chain_id and h.signer = w.signer
                              and h.problems @> '[{"code": "out_of_funds"}]') then 'low_funds'
              when (select count(*)
                      from (select e.tx_id from mailbox_entry e
                             where e.timer_id = w.timer_id and e.state = 'QUEUED'
                             order by e.height desc, e.position desc limit ${LOOK_BACK}) last
                      join managed_tx t on t.tx_id = last.tx_id
                     where t.final_at is null) + w.turn > w.max_open then 'overlap'
              when (select count(*)
                      from (select from managed_tx q
                             where q.chain_id = w.chain_id and q.signer = w.signer and q.queue_position is not null
                             limit $11) line) >= $11 then 'queue_full' end as held_by
    from wanted w
), input as materialized (
  select j.*, nextval('managed_tx_accepted_seq') as seq
    from (select * from judged where held_by is null order by ord) j
), ${acceptSteps()}, outcome as materialized (
  select j.deliver_id, i.tx_id, case when i.tx_id is null then coalesce(j.held_by, 'not_accepted') end as skip_reason
    from judged j left join inserted i on i.tx_id = j.tx_id
), handed as (
  update mailbox_entry e
     set state = case when o.tx_id is null then 'SKIPPED' else 'QUEUED' end, tx_id = o.tx_id, skip_reason = o.skip_reason
    from outcome o
   where e.deliver_id = o.deliver_id and e.state = 'OBSERVED'
     and not exists (select from fire f where f.deliver_id = o.deliver_id)
  returning e.state
), fired as (
  insert into mailbox_entry (deliver_id, chain_id, fire_key, timer_id, kernel_id, fire_seq, height, block_hash, position,
                             signer, target, data, gas_limit, bid, trigger, digest, state, skip_reason, condition, tx_id,
                             aliases)
  select f.deliver_id, $1, f.fire_key, f.timer_id, f.kernel_id, f.fire_seq, f.height, f.block_hash, f.position,
         f.signer, f.target, f.data, f.gas_limit, f.bid, f.trigger, f.digest,
         case when o.deliver_id is null then f.state when o.tx_id is null then 'SKIPPED' else 'QUEUED' end,
         coalesce(o.skip_reason, f.skip_reason), f.condition, o.tx_id,
         case when v.fire_key is null then '{}'
              else (array_remove(array_prepend(v.deliver_id, v.aliases), f.deliver_id))[1:${MAX_ALIASES}] end
    from fire f left join outcome o on o.deliver_id = f.deliver_id left join voided v on v.fire_key = f.fire_key
   where exists (select from moved) and (select count(*) from dropped_fires) >= 0
  on conflict (chain_id, fire_key) do update
     set height = excluded.height, block_hash = excluded.block_hash, position = excluded.position, orphaned = false,
         withdrawn = false,
         aliases = case when excluded.deliver_id = mailbox_entry.deliver_id
                          or excluded.deliver_id = any(mailbox_entry.aliases) then mailbox_entry.aliases
                        else (array_prepend(excluded.deliver_id, mailbox_entry.aliases))[1:${MAX_ALIASES}] end
   where mailbox_entry.state = 'QUEUED'
  returning state
), ${CHANGE_STEPS('$9')}
select exists (select from held) as held, exists (select from moved) as moved, exists (select from unjudged) as unjudged,
       (select count(*) from added) as added, (select count(*) from orphans) as orphans,
       (select count(*) from handed) as handed, (select count(*) from fired) as fired,
       (select count(*) from changed) as changed, (select count(*) from appended) as appended,
       (select count(*) from told) as told`,
} as const

interface WrittenRow {
  readonly held: boolean
  readonly moved: boolean
  readonly unjudged: boolean
}

export async function writeBlocks(database: Database, write: BlocksWrite): Promise<BlocksWriteResult> {
  const { lease, expected, handOffs } = write
  const [row] = await database.query<WrittenRow>(WRITE, [
    lease.chainId,
    lease.nodeId,
    lease.fence,
    expected?.height ?? null,
    toBytes(expected?.hash ?? null),
    write.rewindTo,
    toJson(write.blocks.map(toBlockRow)),
    toJson(write.fires.map(toFireRow)),
    toJson(write.changes.map(toChangeRow)),
    toJson(handOffs.map(toHandOffRow)),
    write.maxQueued,
    [...new Set(handOffs.map(({ transaction }) => lockOf(transaction.intent.lane)))],
    toJson(write.queue),
  ])
  if (row?.held !== true) return { type: 'fenced' }
  if (row.unjudged) return { type: 'not_judged' }
  return { type: row.moved ? 'written' : 'stale' }
}

function toBlockRow(block: BlocksWrite['blocks'][number]) {
  return {
    height: block.height,
    block_hash: toBytes(block.hash),
    state_root: toBytes(block.stateRoot),
    parent_state_root: toBytes(block.parentStateRoot),
    keys: block.keys.map((key) => toBytes(key)),
  }
}

export function toChangeRow(change: BlocksWrite['changes'][number]) {
  return {
    kernel_id: toBytes(change.kernelId),
    is_live: change.isLive,
    due_height: change.dueHeight,
    fire_seq: change.fireSeq,
    end_state: change.ended?.state ?? null,
    end_reason: change.ended?.reason ?? null,
    spec: change.spec === undefined ? null : toStored(change.spec),
  }
}

function toHandOffRow(handOff: BlocksWrite['handOffs'][number], ord: number) {
  const { deliverId, fireKey, timerId, transaction, maxOpen, isRefused = false, isSkippedUnfunded } = handOff
  return {
    ...toAcceptedRow(transaction, ord),
    deliver_id: toBytes(deliverId),
    fire_key: toBytes(fireKey),
    timer_id: timerId,
    max_open: maxOpen,
    is_refused: isRefused,
    is_skipped_unfunded: isSkippedUnfunded,
  }
}
