/**
 * The end of finished transactions. Each statement looks at few rows, in the order of an index, and waits for nobody:
 * it takes a lock that only retention takes, or does nothing. No row that it touches is written by anybody else.
 */
import type { Retired, RetireLook } from '../../../ports/retention-store.ts'
import type { Database } from '../database.ts'
import { IS_COMPLETION } from './event-reads.ts'

/** Any constant will do as long as nothing else in the database uses it. */
const LOCK_KEY = '4919341720851438'
export const TURN = `turn as materialized (select pg_try_advisory_xact_lock(${LOCK_KEY}) as mine)`

/**
 * By acceptance, and without a condition on what it finds: a look at old transactions must never become one at all the
 * newer ones because nothing old is left.
 */
const RETIRE = {
  name: 'retire_transactions',
  text: `
with ${TURN}, looked as materialized (
  select t.tx_id, t.accepted_seq, t.chain_id, t.signer, t.tenant, t.request_id, t.request_digest,
         t.created_at < clock_timestamp() - $2 * interval '1 millisecond' as is_old,
         t.final_at < clock_timestamp() - $2 * interval '1 millisecond' as is_due,
         not $4 or exists (
           select from tx_event e
            where e.tx_id = t.tx_id and ${IS_COMPLETION}
              and e.event_id <= (select a.up_to from archive_mark a where a.kind = 'transactions')) as is_free
    from managed_tx t
   where t.accepted_seq > $1 and (select mine from turn)
   order by t.accepted_seq limit $3
), retired as (
  insert into retired_tx (tx_id, chain_id, signer, tenant, request_id, request_digest)
  select l.tx_id, l.chain_id, l.signer, l.tenant, l.request_id, l.request_digest
    from looked l
   where l.is_due and l.is_free
     and not exists (select from mailbox_entry m where m.tx_id = l.tx_id)
     and not exists (
       select from webhook w where exists (
         select from webhook_delivery d
          where d.webhook_id = w.webhook_id and d.order_key = l.tx_id::text and d.state = 'PENDING'))
  on conflict do nothing
  returning 1
)
select (select mine from turn) as mine, (select count(*) from retired) as count,
       (select max(accepted_seq) from looked) as last,
       (select count(*) from looked where is_old) as old,
       (select count(*) from looked where is_due and not is_free) as held`,
} as const

const DELETE = {
  name: 'delete_retired',
  text: `
with ${TURN}, due as materialized (
  select r.tx_id from retired_tx r
   where r.deleted_at is null and r.retired_at <= clock_timestamp() - $1 * interval '1 millisecond'
     and (select mine from turn)
   order by r.retired_at limit $2
), attempts as (
  delete from tx_attempt a using due d where a.tx_id = d.tx_id
), events as (
  delete from tx_event e using due d where e.tx_id = d.tx_id
), transactions as (
  delete from managed_tx t using due d where t.tx_id = d.tx_id
), kept as (
  update retired_tx r set deleted_at = date_trunc('milliseconds', clock_timestamp())
    from due d where r.tx_id = d.tx_id and r.request_id is not null
), dropped as (
  delete from retired_tx r using due d where r.tx_id = d.tx_id and r.request_id is null
)
select (select mine from turn) as mine, (select count(*) from due) as count`,
} as const

const FORGET = {
  name: 'forget_requests',
  text: `
with ${TURN}, due as materialized (
  select r.tx_id from retired_tx r
   where r.deleted_at <= clock_timestamp() - $1 * interval '1 millisecond' and (select mine from turn)
   order by r.deleted_at limit $2
), forgotten as (
  delete from retired_tx r using due d where r.tx_id = d.tx_id
)
select (select mine from turn) as mine, (select count(*) from due) as count`,
} as const

export interface TurnRow {
  readonly mine: boolean
  readonly count: number
}

export async function retireTransactions(
  database: Database,
  { finalForMs, after, limit, onlyArchived = false }: RetireLook,
): Promise<Retired | null> {
  interface RetireRow extends TurnRow {
    readonly last: number | null
    readonly old: number
    readonly held: number
  }
  const [row] = await database.query<RetireRow>(RETIRE, [after, finalForMs, limit, onlyArchived])
  if (row === undefined || !row.mine) return null
  // What is archived comes first, so what follows is not archived either. A straggler among these ends the look too,
  // until the next run of the archive.
  const isPastArchive = row.held > 0 && row.count === 0
  return { count: row.count, next: row.old < limit || isPastArchive ? null : row.last }
}

export async function deleteRetired(database: Database, retiredForMs: number, limit: number): Promise<number | null> {
  const [row] = await database.query<TurnRow>(DELETE, [retiredForMs, limit])
  return row?.mine === true ? row.count : null
}

export async function forgetRequests(database: Database, deletedForMs: number, limit: number): Promise<number | null> {
  const [row] = await database.query<TurnRow>(FORGET, [deletedForMs, limit])
  return row?.mine === true ? row.count : null
}
