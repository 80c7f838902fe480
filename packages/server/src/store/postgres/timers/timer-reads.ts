/** The current timers and fires, for the API. */
import type { Fire, KernelId, ManagedTimer, TimerId, TimerSpec } from '../../../core/timer/timer.ts'
import type { TxId } from '../../../core/transaction/transaction.ts'
import type {
  FirePage,
  Incarnation,
  TimerFilter,
  TimerHolder,
  TimerRequestKey,
  TimerStore,
} from '../../../ports/timer-store.ts'
import type { Database } from '../database.ts'
import { toBytes, toJson } from '../json-text.ts'
import { reachValues } from '../reach-values.ts'
import type { Stored } from '../stored-json.ts'
import {
  FIRE_COLUMNS,
  type FireRow,
  readFire,
  readSpec,
  readTimer,
  TIMER_COLUMNS,
  type TimerRow,
} from './timer-rows.ts'

const FIND = { name: 'find_timer', text: `select ${TIMER_COLUMNS} from timer t where t.timer_id = $1` } as const

const FIND_MANY = {
  name: 'find_timers',
  text: `select ${TIMER_COLUMNS} from timer t where t.timer_id = any($1::uuid[])`,
} as const

const FIND_BY_KERNEL_ID = {
  name: 'find_timers_by_kernel_id',
  text: `select ${TIMER_COLUMNS} from timer t where t.kernel_id = any($1::bytea[])`,
} as const

const FIND_REQUESTS = {
  name: 'find_timer_requests',
  text: `
select r.ord, found.*
  from json_to_recordset($1::json) as r(ord int, chain_id bigint, tenant text, request_id text)
 cross join lateral (
    select ${TIMER_COLUMNS} from timer t
     where t.request_id = r.request_id and t.tenant = r.tenant and t.chain_id = r.chain_id
     order by t.place limit 1) found`,
} as const

const BETWEEN_TIMES = {
  name: 'list_timers_between_times',
  text: `
select ${TIMER_COLUMNS} from timer t
 where t.chain_id = $1 and t.state = 'ACTIVE' and t.due_height is null and t.spec -> 'schedule' ->> 'type' = 'cron'
 limit $2`,
} as const

const LIST = {
  name: 'list_timers',
  text: `
select ${TIMER_COLUMNS} from timer t
 where ($1::bigint is null or t.chain_id = $1) and ($2::bytea is null or t.signer = $2)
   and ($3::bytea is null or t.target = $3) and ($4::text[] is null or t.state = any($4))
   and ($5::bigint is null or t.place < $5)
   and ($6::bytea[] is null or t.signer = any($6)) and ($7::bigint[] is null or t.chain_id = any($7))
 order by t.place desc limit $8`,
} as const

const FIRES = {
  name: 'list_fires',
  text: `
select ${FIRE_COLUMNS} from mailbox_entry e
 where e.timer_id = $1 and ($2::bigint is null or (e.height, e.position) < ($2, $3))
 order by e.height desc, e.position desc limit $4`,
} as const

const WITHDRAWN = {
  name: 'list_withdrawn_fires',
  text: `
select e.tx_id from mailbox_entry e join managed_tx t on t.tx_id = e.tx_id
 where e.chain_id = $1 and e.withdrawn and t.state = 'QUEUED' limit $2`,
} as const

const INCARNATIONS = {
  name: 'read_timer_incarnations',
  text: `
select i.kernel_id, i.timer_id, i.spec, t.tenant, t.created_by, t.metadata
  from timer_incarnation i join timer t on t.timer_id = i.timer_id where i.kernel_id = any($1::bytea[])`,
} as const

const COUNT_OF_SIGNER = {
  name: 'count_timers_of_signer',
  text: `
select count(*) as n from (
  select from timer where chain_id = $1 and signer = $2 and state in ('ACTIVE', 'PAUSED') limit $3) t`,
} as const

const COUNT_OF_TENANT = {
  name: 'count_timers',
  text: `
select count(*) as n from (
  select from timer where chain_id = $1 and tenant = $2 and state in ('ACTIVE', 'PAUSED') limit $3) t`,
} as const

const COUNT_AT_TARGET = {
  name: 'count_timers_at_target',
  text: `
select count(*) as n from (
  select from timer where chain_id = $1 and tenant = $2 and target = $3 and state = 'ACTIVE' limit $4) t`,
} as const

export async function findTimer(database: Database, id: TimerId): Promise<ManagedTimer | null> {
  const [row] = await database.query<TimerRow>(FIND, [id])
  return row === undefined ? null : readTimer(row)
}

export async function findTimers(database: Database, ids: readonly TimerId[]): Promise<readonly ManagedTimer[]> {
  return ids.length === 0 ? [] : (await database.query<TimerRow>(FIND_MANY, [ids])).map(readTimer)
}

export async function listBetweenTimes(
  database: Database,
  chainId: number,
  limit: number,
): Promise<readonly ManagedTimer[]> {
  return (await database.query<TimerRow>(BETWEEN_TIMES, [chainId, limit])).map(readTimer)
}

export async function findTimersByKernelId(
  database: Database,
  kernelIds: readonly KernelId[],
): Promise<readonly ManagedTimer[]> {
  if (kernelIds.length === 0) return []
  return (await database.query<TimerRow>(FIND_BY_KERNEL_ID, [kernelIds.map((id) => toBytes(id))])).map(readTimer)
}

export async function findTimersByRequest(
  database: Database,
  requests: readonly TimerRequestKey[],
): Promise<readonly (ManagedTimer | null)[]> {
  const wanted = requests.map(({ chainId, tenant, requestId }, ord) => ({
    ord,
    chain_id: chainId,
    tenant,
    request_id: requestId,
  }))
  const rows = await database.query<TimerRow & { readonly ord: number }>(FIND_REQUESTS, [toJson(wanted)])
  const found = new Map(rows.map((row) => [row.ord, readTimer(row)]))
  return requests.map((_, ord) => found.get(ord) ?? null)
}

export async function listTimers(
  database: Database,
  { chainId, owner, target, states, reach }: TimerFilter,
  { before, limit }: Parameters<TimerStore['listTimers']>[1],
): Promise<readonly ManagedTimer[]> {
  const rows = await database.query<TimerRow>(LIST, [
    chainId ?? null,
    toBytes(owner ?? null),
    toBytes(target ?? null),
    states ?? null,
    before,
    ...reachValues(reach),
    limit,
  ])
  return rows.map(readTimer)
}

export async function listFires(
  database: Database,
  id: TimerId,
  { before, limit }: FirePage,
): Promise<readonly Fire[]> {
  const values = [id, before?.height ?? null, before?.position ?? null, limit]
  return (await database.query<FireRow>(FIRES, values)).map(readFire)
}

export async function listWithdrawn(database: Database, chainId: number, limit: number): Promise<readonly TxId[]> {
  return (await database.query<{ readonly tx_id: TxId }>(WITHDRAWN, [chainId, limit])).map((row) => row.tx_id)
}

export async function readIncarnations(
  database: Database,
  kernelIds: readonly KernelId[],
): Promise<readonly Incarnation[]> {
  if (kernelIds.length === 0) return []
  const rows = await database.query<{
    readonly kernel_id: KernelId
    readonly timer_id: TimerId
    readonly spec: Stored<TimerSpec>
    readonly tenant: string
    readonly created_by: string
    readonly metadata: Readonly<Record<string, string>>
  }>(INCARNATIONS, [kernelIds.map((id) => toBytes(id))])
  return rows.map((row) => ({
    kernelId: row.kernel_id,
    timerId: row.timer_id,
    tenant: row.tenant,
    createdBy: row.created_by,
    metadata: row.metadata,
    spec: readSpec(row.spec),
  }))
}

export async function countTimers(
  database: Database,
  chainId: number,
  of: TimerHolder,
  atMost: number,
): Promise<number> {
  const count = async (statement: { readonly name: string; readonly text: string }, ...values: readonly unknown[]) => {
    const [row] = await database.query<{ readonly n: number }>(statement, [chainId, ...values, atMost])
    return row?.n ?? 0
  }
  if ('owner' in of) return await count(COUNT_OF_SIGNER, toBytes(of.owner))
  if ('target' in of) return await count(COUNT_AT_TARGET, of.tenant, toBytes(of.target))
  return await count(COUNT_OF_TENANT, of.tenant)
}
