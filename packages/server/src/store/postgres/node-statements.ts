/** Which nodes are alive, by the database's clock only. */
import type { SilentNode } from '../../core/explain/describe-problem.ts'
import type { LiveNode, Store } from '../../ports/store.ts'
import { FORGET_AFTER_TTLS } from '../rules/node-life.ts'
import type { Database } from './database.ts'
import { CHANNEL, NODES_CHANGED } from './notice-payload.ts'

interface NodeRow {
  readonly node_id: string
  readonly address: string | null
  readonly chains: readonly string[] | null
  readonly started_at: number
  readonly heartbeat_at: number
}

/** The statement does not see its own changes, so this node's row is added to what it sees of the others. */
const HEARTBEAT = {
  name: 'heartbeat',
  isVital: true,
  text: `
with clock as materialized (
  select date_trunc('milliseconds', clock_timestamp()) as now
), mine as (
  insert into node (node_id, address, started_at, heartbeat_at, ttl_ms, chains)
  select $1, $2, now, now, $3, $4::bigint[] from clock
  on conflict (node_id) do update
     set address = excluded.address, heartbeat_at = excluded.heartbeat_at, ttl_ms = excluded.ttl_ms,
         chains = excluded.chains
  returning node_id, address, chains, started_at, heartbeat_at, xmax = 0 as is_new
), forgotten as (
  delete from node n using clock c
   where n.heartbeat_at < c.now - n.ttl_ms * ${FORGET_AFTER_TTLS} * interval '1 millisecond' and n.node_id <> $1
), told as materialized (
  select pg_notify('${CHANNEL}', '${NODES_CHANGED}') from mine where is_new
)
select m.node_id, m.address, m.chains, m.started_at, m.heartbeat_at, true as is_live, false as is_silent, c.now,
       (select count(*) from told) as told
  from mine m cross join clock c
union all
select n.node_id, n.address, n.chains, n.started_at, n.heartbeat_at,
       n.heartbeat_at >= c.now - n.ttl_ms * interval '1 millisecond',
       n.heartbeat_at < c.now - $5::bigint * interval '1 millisecond', c.now, 0
  from node n cross join clock c
 where n.node_id <> $1 and n.heartbeat_at >= c.now - n.ttl_ms * ${FORGET_AFTER_TTLS} * interval '1 millisecond'
 order by node_id`,
} as const

const LIST = {
  name: 'list_nodes',
  text: `
select node_id, address, chains, started_at, heartbeat_at from node
 where heartbeat_at >= clock_timestamp() - ttl_ms * interval '1 millisecond' order by node_id`,
} as const

const REMOVE = {
  name: 'remove_node',
  text: `
with gone as (delete from node where node_id = $1 returning 1)
select pg_notify('${CHANNEL}', '${NODES_CHANGED}') from gone`,
} as const

const PING = {
  name: 'ping',
  text: 'select coalesce(max(version), 0) as version, clock_timestamp() as now from schema_migration',
} as const

export async function heartbeat(
  database: Database,
  node: Parameters<Store['heartbeat']>[0],
): ReturnType<Store['heartbeat']> {
  const rows = await database.query<NodeRow & { now: number; is_live: boolean; is_silent: boolean }>(HEARTBEAT, [
    ...[node.nodeId, node.address, node.ttlMs, node.chains, node.silentAfterMs ?? node.ttlMs],
  ])
  const own = rows[0]
  if (own === undefined) throw new Error('the heartbeat answered no node, not even this one')
  return {
    nowMs: own.now,
    nodes: rows.filter(({ is_live }) => is_live).map(toNode),
    silent: rows.filter(({ is_silent }) => is_silent).map(toSilent),
  }
}

export async function listNodes(database: Database): Promise<readonly LiveNode[]> {
  return (await database.query<NodeRow>(LIST, [])).map(toNode)
}

export async function removeNode(database: Database, nodeId: string): Promise<void> {
  await database.query(REMOVE, [nodeId])
}

export async function ping(database: Database): Promise<{ readonly schemaVersion: number; readonly nowMs: number }> {
  const [row] = await database.query<{ version: number; now: number }>(PING, [])
  if (row === undefined) throw new Error('the database answered a ping with nothing')
  return { schemaVersion: row.version, nowMs: row.now }
}

function toSilent({ node_id: nodeId, address, heartbeat_at: heartbeatAt }: NodeRow): SilentNode {
  return { nodeId, address, heartbeatAt }
}

function toNode(row: NodeRow): LiveNode {
  return {
    nodeId: row.node_id,
    startedAt: row.started_at,
    heartbeatAt: row.heartbeat_at,
    address: row.address,
    chains: row.chains?.map(Number) ?? null,
  }
}
