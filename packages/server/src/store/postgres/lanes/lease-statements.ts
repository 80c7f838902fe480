/**
 * Leases. Taking over and giving up lock the row FOR UPDATE and so wait for every fenced write in progress; renewing
 * changes no key column and waits for none of them. All lock in key order, so they cannot deadlock.
 */
import type { Address } from '../../../core/hex.ts'
import { type Lane, type Lease, laneKey } from '../../../core/lane/lane.ts'
import type { AcquiredLease, RenewedLease } from '../../../ports/lane-write.ts'
import type { Database } from '../database.ts'
import { toBytes, toJson } from '../json-text.ts'
import { CHANNEL, laneNotice } from '../notice-payload.ts'
import { inLine } from './in-line.ts'

interface LeaseRow {
  readonly chain_id: number
  readonly signer: Address
  readonly owner_node: string
  readonly fencing_token: number
}

const RETURNED = 'l.chain_id, l.signer, l.owner_node, l.fencing_token'

/** Skips lanes that another node holds, without waiting: locks only lanes that look free, then checks them again. */
const ACQUIRE = {
  name: 'acquire_leases',
  isVital: true,
  text: `
with free as materialized (
  select w.chain_id, w.signer, l.owner_node as taken_from
    from (select chain_id, signer, bool_or(privately) as privately
            from json_to_recordset($2::json) as w(chain_id bigint, signer bytea, privately boolean)
           group by chain_id, signer order by chain_id, signer) w
   cross join lateral (
     select l.owner_node from signer_lease l
      where l.chain_id = w.chain_id and l.signer = w.signer
        and (l.owner_node is null or l.expires_at <= clock_timestamp())
        and (w.privately or not l.sends_privately)
        for update) l
)
update signer_lease l
   set owner_node = $1, fencing_token = l.fencing_token + 1, wanted_by = null,
       expires_at = clock_timestamp() + $3 * interval '1 millisecond'
  from free f
 where l.chain_id = f.chain_id and l.signer = f.signer
returning ${RETURNED}, f.taken_from`,
} as const

const RENEW = {
  name: 'renew_leases',
  isVital: true,
  text: `
with mine as materialized (
  select chain_id, signer from signer_lease
   where owner_node = $1 and expires_at > clock_timestamp()
   order by chain_id, signer
     for no key update
)
update signer_lease l
   set expires_at = clock_timestamp() + $2 * interval '1 millisecond'
  from mine m
 where l.chain_id = m.chain_id and l.signer = m.signer
returning ${RETURNED}, l.wanted_by`,
} as const

const REQUEST = {
  name: 'request_leases',
  text: `
with others as materialized (
  select w.chain_id, w.signer
    from (select distinct chain_id, signer from json_to_recordset($2::json) as w(chain_id bigint, signer bytea)
           order by chain_id, signer) w
   cross join lateral (
     select from signer_lease l
      where l.chain_id = w.chain_id and l.signer = w.signer
        and l.owner_node <> $1 and l.expires_at > clock_timestamp() and l.wanted_by is distinct from $1
        for no key update) l
)
update signer_lease l set wanted_by = $1 from others o where l.chain_id = o.chain_id and l.signer = o.signer`,
} as const

const RELEASE = {
  name: 'release_leases',
  isVital: true,
  text: `
with mine as materialized (
  select g.chain_id, g.signer, g.notice
    from (select * from json_to_recordset($1::json)
            as g(chain_id bigint, signer bytea, owner_node text, fence bigint, notice text)
           order by chain_id, signer) g
   cross join lateral (
     select from signer_lease l
      where l.chain_id = g.chain_id and l.signer = g.signer and l.owner_node = g.owner_node
        and l.fencing_token = g.fence
        for update) l
), freed as (
  update signer_lease l set owner_node = null, expires_at = '-infinity', wanted_by = null
    from mine m
   where l.chain_id = m.chain_id and l.signer = m.signer
  returning m.notice
)
select pg_notify('${CHANNEL}', notice) from freed`,
} as const

const LIST = {
  name: 'list_leases',
  text: `
select ${RETURNED} from signer_lease l
 where l.owner_node is not null and l.expires_at > clock_timestamp() order by l.chain_id, l.signer`,
} as const

const LANES_WITH_WORK = {
  name: 'lanes_with_work',
  text: `
select l.chain_id, l.signer from signer_lease l
 where l.owner_node = $1 and l.expires_at > clock_timestamp()
   and exists (select from managed_tx t
                where t.chain_id = l.chain_id and t.signer = l.signer and ${inLine('t')})
 order by l.chain_id, l.signer`,
} as const

export async function acquireLeases(
  database: Database,
  nodeId: string,
  lanes: readonly Lane[],
  ttlMs: number,
  privately: readonly Lane[] = [],
): Promise<readonly AcquiredLease[]> {
  if (lanes.length === 0) return []
  const own = new Set(privately.map(laneKey))
  const wanted = lanes.map((lane) => ({
    chain_id: lane.chainId,
    signer: toBytes(lane.signer),
    privately: own.has(laneKey(lane)),
  }))
  const values = [nodeId, toJson(wanted), ttlMs]
  const rows = await database.query<LeaseRow & { taken_from: string | null }>(ACQUIRE, values)
  return rows.map((row) => ({ ...toLease(row), ...(row.taken_from !== null && { takenFrom: row.taken_from }) }))
}

export async function renewLeases(database: Database, nodeId: string, ttlMs: number): Promise<readonly RenewedLease[]> {
  const rows = await database.query<LeaseRow & { wanted_by: string | null }>(RENEW, [nodeId, ttlMs])
  return rows.map((row) => ({ ...toLease(row), wantedBy: row.wanted_by }))
}

export async function requestLeases(database: Database, nodeId: string, lanes: readonly Lane[]): Promise<void> {
  if (lanes.length === 0) return
  await database.query(REQUEST, [nodeId, toLaneRows(lanes)])
}

export async function releaseLeases(database: Database, leases: readonly Lease[]): Promise<void> {
  if (leases.length === 0) return
  const given = leases.map(({ lane, nodeId, fence }) => ({
    chain_id: lane.chainId,
    signer: toBytes(lane.signer),
    owner_node: nodeId,
    fence,
    notice: laneNotice('lane.released', lane),
  }))
  await database.query(RELEASE, [toJson(given)])
}

export async function listLeases(database: Database): Promise<readonly Lease[]> {
  return (await database.query<LeaseRow>(LIST, [])).map(toLease)
}

export async function lanesWithWork(database: Database, nodeId: string): Promise<readonly Lane[]> {
  const rows = await database.query<Pick<LeaseRow, 'chain_id' | 'signer'>>(LANES_WITH_WORK, [nodeId])
  return rows.map((row) => ({ chainId: row.chain_id, signer: row.signer }))
}

function toLaneRows(lanes: readonly Lane[]): string {
  return toJson(lanes.map((lane) => ({ chain_id: lane.chainId, signer: toBytes(lane.signer) })))
}

function toLease(row: LeaseRow): Lease {
  return { lane: { chainId: row.chain_id, signer: row.signer }, nodeId: row.owner_node, fence: row.fencing_token }
}
