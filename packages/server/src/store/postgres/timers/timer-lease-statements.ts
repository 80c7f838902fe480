/**
 * Which node runs the timers of a chain, by the same locks as the leases of lanes: taking over and giving up wait for
 * every write in progress, renewing waits for none. A chain that never had timers gets its row here.
 */
import type { TimerLease } from '../../../ports/timer-store.ts'
import type { Database } from '../database.ts'
import { toJson } from '../json-text.ts'
import { CHANNEL, timersNotice } from '../notice-payload.ts'

const ADD = {
  name: 'add_timer_leases',
  text: `insert into timer_lease (chain_id) select unnest($1::bigint[]) on conflict do nothing`,
} as const

const KEEP = {
  name: 'keep_timer_leases',
  isVital: true,
  text: `
with mine as materialized (
  select chain_id from timer_lease
   where owner_node = $1 and chain_id = any($2::bigint[]) and expires_at > clock_timestamp()
   order by chain_id for no key update
), renewed as (
  update timer_lease l set expires_at = clock_timestamp() + $3 * interval '1 millisecond'
    from mine m where l.chain_id = m.chain_id
  returning l.chain_id, l.fencing_token
), free as materialized (
  select chain_id from timer_lease
   where chain_id = any($2::bigint[]) and (owner_node is null or expires_at <= clock_timestamp())
   order by chain_id for update skip locked
), taken as (
  update timer_lease l
     set owner_node = $1, fencing_token = l.fencing_token + 1,
         expires_at = clock_timestamp() + $3 * interval '1 millisecond'
    from free f where l.chain_id = f.chain_id
  returning l.chain_id, l.fencing_token
)
select chain_id, fencing_token from renewed union all select chain_id, fencing_token from taken`,
} as const

const RELEASE = {
  name: 'release_timer_leases',
  isVital: true,
  text: `
with mine as materialized (
  select l.chain_id, g.notice
    from json_to_recordset($1::json) as g(chain_id bigint, owner_node text, fence bigint, notice text)
    join timer_lease l on l.chain_id = g.chain_id and l.owner_node = g.owner_node and l.fencing_token = g.fence
   order by l.chain_id for update of l
), freed as (
  update timer_lease l set owner_node = null, expires_at = '-infinity' from mine m where l.chain_id = m.chain_id
  returning m.notice
)
select pg_notify('${CHANNEL}', notice) from freed`,
} as const

const FIND = {
  name: 'find_timer_lease',
  text: `
select chain_id, owner_node, fencing_token from timer_lease
 where chain_id = $1 and owner_node is not null and expires_at > clock_timestamp()`,
} as const

interface LeaseRow {
  readonly chain_id: number
  readonly fencing_token: number
}

export async function keepTimerLeases(
  database: Database,
  nodeId: string,
  chainIds: readonly number[],
  ttlMs: number,
): Promise<readonly TimerLease[]> {
  const rows = await database.query<LeaseRow>(KEEP, [nodeId, chainIds, ttlMs])
  return rows.map((row) => ({ chainId: row.chain_id, nodeId, fence: row.fencing_token }))
}

export async function addTimerLeases(database: Database, chainIds: readonly number[]): Promise<void> {
  await database.query(ADD, [chainIds])
}

export async function releaseTimerLeases(database: Database, leases: readonly TimerLease[]): Promise<void> {
  if (leases.length === 0) return
  const given = leases.map(({ chainId, nodeId, fence }) => ({
    chain_id: chainId,
    owner_node: nodeId,
    fence,
    notice: timersNotice('timers.released', chainId),
  }))
  await database.query(RELEASE, [toJson(given)])
}

export async function findTimerLease(database: Database, chainId: number): Promise<TimerLease | null> {
  const [row] = await database.query<LeaseRow & { readonly owner_node: string }>(FIND, [chainId])
  return row === undefined ? null : { chainId: row.chain_id, nodeId: row.owner_node, fence: row.fencing_token }
}

/** Steps that begin a fenced write: `held` has a row while the lease is this node's. Takes $1 to $3: chain, node, fence. */
export const HELD = `
held as materialized (
  select 1 from timer_lease
   where chain_id = $1 and owner_node = $2 and fencing_token = $3 and expires_at > clock_timestamp()
     for key share
)`
