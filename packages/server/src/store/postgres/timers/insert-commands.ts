/**
 * Stores what is asked of the node that runs a chain's timers: all that came together in one statement, with one notice.
 *
 * Inserts of a chain take turns, by an advisory lock that is held until commit. Two nodes may get the same requests in
 * another order, and would otherwise wait for each other. It costs nothing: commits that notify take turns anyway.
 */
import type { CommandInsert, NewCommand } from '../../../ports/timer-store.ts'
import type { Database } from '../database.ts'
import { toBytes, toJson, toStored } from '../json-text.ts'
import { CHANNEL, timersNotice } from '../notice-payload.ts'

/** Any constant will do as long as nothing else in the database uses it, or the 63 after it. */
const LOCK_BASE = 5_231_870_442_019_376_128n
const LOCKS = 64

const INSERT = {
  name: 'insert_timer_commands',
  text: `
with locked as materialized (
  select pg_advisory_xact_lock($4)
), chain as (
  insert into timer_lease (chain_id) select $1::bigint from locked on conflict do nothing
), pending as materialized (
  select count(*) as n from (select from timer_command where chain_id = $1 and answer is null limit $2) p
), inserted as (
  insert into timer_command (command_id, chain_id, body, tenant, request_id, request_digest)
  select c.command_id, $1::bigint, c.body, c.tenant, c.request_id, c.request_digest
    from json_to_recordset($3::json) as c(
      ord int, command_id uuid, body jsonb, tenant text, request_id text, request_digest bytea)
   where c.ord < $2 - (select n from pending) and (select count(*) from locked) > 0
   order by c.ord
  on conflict do nothing
  returning command_id
), told as materialized (
  select pg_notify('${CHANNEL}', $5) where exists (select from inserted)
)
select i.command_id, (select count(*) from told) as told from inserted i`,
} as const

const FIND_REQUESTS = {
  name: 'find_timer_command_requests',
  text: `
select r.ord, c.command_id, c.request_digest, c.body ->> 'timerId' as timer_id
  from json_to_recordset($2::json) as r(ord int, tenant text, request_id text)
  join timer_command c on c.request_id = r.request_id and c.tenant = r.tenant and c.chain_id = $1`,
} as const

interface Row {
  readonly ord: number
  readonly command_id: string
  readonly tenant: string
  readonly request_id: string | null
  readonly request_digest: string | null
}

export async function insertCommands(
  database: Database,
  chainId: number,
  commands: readonly NewCommand[],
  maxPending: number,
): Promise<readonly CommandInsert[]> {
  const rows = commands.map(toRow)
  const lock = (LOCK_BASE + BigInt(chainId % LOCKS)).toString()
  const notice = timersNotice('timers.asked', chainId)
  const written = await database.query<{ readonly command_id: string }>(INSERT, [
    chainId,
    maxPending,
    toJson(rows),
    lock,
    notice,
  ])
  const inserted = new Set(written.map(({ command_id }) => command_id))
  const earlier = await findEarlier(
    database,
    chainId,
    rows.filter(({ command_id, request_id }) => request_id !== null && !inserted.has(command_id)),
  )
  return rows.map(({ ord, command_id, request_digest }) => {
    if (inserted.has(command_id)) return { type: 'inserted' }
    const found = earlier.get(ord)
    if (found === undefined) return { type: 'too_many' }
    const { command_id: commandId, timer_id: timerId } = found
    return { type: 'existing', commandId, timerId, isSame: toBytes(found.request_digest) === request_digest }
  })
}

interface Earlier {
  readonly ord: number
  readonly command_id: string
  readonly timer_id: string
  readonly request_digest: `0x${string}`
}

async function findEarlier(
  database: Database,
  chainId: number,
  rows: readonly Row[],
): Promise<ReadonlyMap<number, Earlier>> {
  if (rows.length === 0) return new Map()
  const wanted = rows.map(({ ord, tenant, request_id }) => ({ ord, tenant, request_id }))
  const found = await database.query<Earlier>(FIND_REQUESTS, [chainId, toJson(wanted)])
  return new Map(found.map((each) => [each.ord, each]))
}

function toRow({ id, command }: NewCommand, ord: number): Row & { readonly body: unknown } {
  const label = command.type === 'set' ? command.label : null
  return {
    ord,
    command_id: id,
    body: toStored(command),
    tenant: label?.tenant ?? '',
    request_id: label?.requestId ?? null,
    request_digest: toBytes(label?.requestDigest ?? null),
  }
}
