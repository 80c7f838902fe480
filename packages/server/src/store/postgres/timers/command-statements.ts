/** Commands, as the node that runs the chain's timers reads and answers them. The row is the answer. */
import { TOO_MANY_FAILURES } from '../../../core/timer/timer.ts'
import type { CommandId, StoredCommand, TimerCommand } from '../../../core/timer/timer-command.ts'
import type { CommandResult, CommandsWrite, TimerWriteResult } from '../../../ports/timer-store.ts'
import type { Database } from '../database.ts'
import { toBytes, toJson, toStored } from '../json-text.ts'
import { CHANNEL, EVENTS_APPENDED, timersNotice } from '../notice-payload.ts'
import { HELD } from './timer-lease-statements.ts'
import { type CommandRow, readCommand, toLabelText } from './timer-rows.ts'
import { CHANGE_STEPS, toChangeRow } from './write-blocks.ts'

const ENDS = { cancel: 'CANCELLED', pause: 'PAUSED', retire: 'RETIRED' } as const
const ANSWERS_KEPT_MS = 10 * 60_000
const FORGOTTEN_AT_ONCE = 200

const FIND = {
  name: 'find_timer_commands',
  text: `select command_id, chain_id, body, answer from timer_command where command_id = any($1::uuid[])`,
} as const

const PENDING = {
  name: 'read_timer_commands',
  text: `
select command_id, chain_id, body, answer from timer_command
 where chain_id = $1 and answer is null order by place limit $2`,
} as const

/**
 * At most one result for each timer: a statement changes a row once. Refused commands are kept for a while for callers
 * waiting for the result, then deleted in small batches. Commands that changed something are part of the log.
 */
const WRITE = {
  name: 'write_timer_commands',
  text: `
with ${HELD}, moved as (
  update timer_chain set command_seq = $7, queue = $14::jsonb
   where chain_id = $1 and height = $4 and block_hash = $5 and command_seq = $6 and exists (select from held)
  returning 1
), result as materialized (
  select * from json_to_recordset($8::json) as r(command_id uuid, answer jsonb, seq bigint, height bigint)
   where exists (select from moved)
), answered as (
  update timer_command c
     set answer = r.answer, seq = r.seq, height = r.height, answered_at = clock_timestamp(),
         request_id = case when r.answer ->> 'type' = 'refused' then null else c.request_id end
    from result r where c.command_id = r.command_id and c.answer is null
  returning 1
), started as (
  insert into timer (timer_id, chain_id, signer, target, kernel_id, tenant, name, request_id, request_digest, spec,
                     metadata, state, due_height, created_height, created_by)
  select s.timer_id, $1, s.signer, s.target, s.kernel_id, s.tenant, s.name, s.request_id, s.request_digest, s.spec,
         s.metadata, 'ACTIVE', s.due_height, $4, s.created_by
    from json_to_recordset($9::json) as s(
      ord int, timer_id uuid, signer bytea, target bytea, kernel_id bytea, tenant text, name text, request_id text,
      request_digest bytea, spec jsonb, metadata jsonb, due_height bigint, created_by text)
   where exists (select from moved)
   order by s.ord
  returning 1
), resumed as (
  update timer t
     set kernel_id = s.kernel_id, spec = s.spec, state = 'ACTIVE', end_reason = null, due_height = s.due_height,
         base_fires = t.fire_count, failures = case when s.is_next then t.failures else 0 end
    from json_to_recordset($10::json) as s(timer_id uuid, kernel_id bytea, spec jsonb, due_height bigint, is_next boolean)
   where t.timer_id = s.timer_id and exists (select from moved)
  returning 1
), known as (
  insert into timer_incarnation (kernel_id, timer_id, spec)
  select s.kernel_id, s.timer_id, s.spec
    from (select * from json_to_recordset($9::json) as s(kernel_id bytea, timer_id uuid, spec jsonb)
          union all
          select * from json_to_recordset($10::json) as s(kernel_id bytea, timer_id uuid, spec jsonb)) s
   where exists (select from moved)
  returning 1
), ended as (
  update timer t set state = e.state, due_height = null, end_reason = e.reason
    from json_to_recordset($11::json) as e(timer_id uuid, state text, reason text)
   where t.timer_id = e.timer_id and exists (select from moved)
  returning 1
), forgotten as (
  delete from timer_command c using (
    select command_id from timer_command
     where chain_id = $1 and answer is not null and seq is null
       and answered_at < clock_timestamp() - interval '${ANSWERS_KEPT_MS} milliseconds'
     order by answered_at limit ${FORGOTTEN_AT_ONCE}) old
   where c.command_id = old.command_id and exists (select from moved)
  returning 1
), ${CHANGE_STEPS('$12')}, event as materialized (
  select row_number() over () as place, e.*
    from json_to_recordset($15::json) as e(signer bytea, type text, cause text, detail jsonb)
   where exists (select from moved)
), head as (
  update event_head set last_id = last_id + (select count(*) from event)
   where exists (select from event)
     and (select count(*) from answered) + (select count(*) from ended) + (select count(*) from changed) >= 0
  returning last_id - (select count(*) from event) as base, clock_timestamp() as at
), appended as (
  insert into tx_event (event_id, chain_id, signer, type, cause, detail, at, last_at)
  select h.base + e.place, $1, e.signer, e.type, e.cause, e.detail, h.at, h.at from event e cross join head h
  returning 1
), told as materialized (
  select pg_notify('${CHANNEL}', notice)
    from (select $13 as notice from moved union all select '${EVENTS_APPENDED}' where exists (select from event)) n
)
select exists (select from held) as held, exists (select from moved) as moved,
       (select count(*) from answered) as answered, (select count(*) from started) as started,
       (select count(*) from resumed) as resumed, (select count(*) from known) as known,
       (select count(*) from ended) as ended, (select count(*) from forgotten) as forgotten, (select count(*) from changed) as changed,
       (select count(*) from appended) as appended, (select count(*) from told) as told`,
} as const

export async function findCommands(
  database: Database,
  ids: readonly CommandId[],
): Promise<readonly (StoredCommand | null)[]> {
  const rows = await database.query<CommandRow>(FIND, [ids])
  const found = new Map(rows.map((row) => [row.command_id, readRow(row)]))
  return ids.map((id) => found.get(id) ?? null)
}

export async function readPendingCommands(
  database: Database,
  chainId: number,
  limit: number,
): Promise<readonly StoredCommand[]> {
  return (await database.query<CommandRow>(PENDING, [chainId, limit])).map(readRow)
}

function readRow(row: CommandRow): StoredCommand {
  return { id: row.command_id, chainId: row.chain_id, command: readCommand(row.body), answer: row.answer }
}

export async function writeCommands(database: Database, write: CommandsWrite): Promise<TimerWriteResult> {
  const { lease, expected, expectedSeq, results } = write
  const accepted = results.flatMap(({ logged }) => (logged === null ? [] : [logged]))
  const [row] = await database.query<{ readonly held: boolean; readonly moved: boolean }>(WRITE, [
    lease.chainId,
    lease.nodeId,
    lease.fence,
    expected.height,
    toBytes(expected.hash),
    expectedSeq,
    accepted.at(-1)?.seq ?? expectedSeq,
    toJson(results.map(toResultRow)),
    toJson(results.flatMap(toStartedRow)),
    toJson(results.flatMap(toResumedRow)),
    toJson(accepted.flatMap(({ command }) => toEndedRow(command))),
    toJson(write.changes.map(toChangeRow)),
    timersNotice('timers.answered', lease.chainId),
    toJson(write.queue),
    toJson(accepted.flatMap(({ command }) => toEventRow(command))),
  ])
  if (row?.held !== true) return { type: 'fenced' }
  return { type: row.moved ? 'written' : 'stale' }
}

function toResultRow({ id, answer, logged }: CommandResult) {
  return { command_id: id, answer, seq: logged?.seq ?? null, height: logged?.height ?? null }
}

function toStartedRow({ logged, started }: CommandResult, ord: number) {
  if (started === null || logged?.command.type !== 'set' || logged.command.label === null) return []
  const { spec, label } = logged.command
  return [
    {
      ord,
      timer_id: started.timerId,
      signer: toBytes(spec.owner),
      target: toBytes(spec.target),
      kernel_id: toBytes(started.kernelId),
      tenant: label.tenant,
      name: toLabelText(label.name),
      request_id: label.requestId,
      request_digest: toBytes(label.requestDigest),
      spec: toStored(spec),
      metadata: label.metadata,
      due_height: started.dueHeight,
      created_by: label.by,
    },
  ]
}

/** A timer that existed before starts again. */
function toResumedRow({ logged, started }: CommandResult) {
  if (started === null || logged === null) return []
  const { command } = logged
  if (command.type !== 'reschedule' && (command.type !== 'set' || command.label !== null)) return []
  const { spec } = command
  return [
    {
      timer_id: started.timerId,
      kernel_id: toBytes(started.kernelId),
      spec: toStored(spec),
      due_height: started.dueHeight,
      is_next: command.type === 'reschedule' && command.isNext,
    },
  ]
}

function toEndedRow(command: TimerCommand) {
  if (command.type !== 'cancel' && command.type !== 'pause' && command.type !== 'retire') return []
  const reason = command.type === 'retire' ? TOO_MANY_FAILURES : null
  return [{ timer_id: command.timerId, state: ENDS[command.type], reason }]
}

/** What Drover does by itself is an event of the signer. */
function toEventRow(command: TimerCommand) {
  if (command.type !== 'retire') return []
  const { timerId, failures, tenant, spec } = command
  const detail = { timerId, failures, ...(tenant !== '' && { tenant }) }
  return [{ signer: toBytes(spec.owner), type: 'timer.retired', cause: TOO_MANY_FAILURES, detail }]
}
