/** What the owner of a lane reads: what is in flight, what is next in the queue, and which nonces were returned. */

import type { Finality } from '../../../core/chain/finality.ts'
import type { Address, Hash } from '../../../core/hex.ts'
import type { Lane } from '../../../core/lane/lane.ts'
import type { LaneProblem } from '../../../core/lane/lane-problem.ts'
import type { Window } from '../../../core/lane/window.ts'
import { isInFlight, type Queued, type TxId } from '../../../core/transaction/transaction.ts'
import type { MinedTransaction } from '../../../ports/history.ts'
import type { ChainTimes, NonceLine, QueueDepth } from '../../../ports/lane-queue.ts'
import type { LoadedLane } from '../../../ports/lane-write.ts'
import { isTxId } from '../../rules/tx-id.ts'
import type { Database } from '../database.ts'
import { toBytes, toTime } from '../json-text.ts'
import { createReadTogether } from '../read-together.ts'
import { readTransaction, TRANSACTION_COLUMNS, type TransactionRow } from '../transactions/transaction-row.ts'
import { inLine } from './in-line.ts'
import { readQueued } from './queue-reads.ts'
import type { Timeline } from './timeline.ts'

const MINED = {
  name: 'list_mined',
  text: `
select t.tx_id, t.chain_id, t.signer, t.finality, (t.inclusion->>'blockNumber')::bigint as block_number,
       t.inclusion->>'blockHash' as block_hash
  from managed_tx t
 where t.chain_id = $1 and t.nonce is not null and t.final_at is null and t.inclusion is not null
 order by t.mined_at desc, t.accepted_seq desc limit $2`,
} as const

interface MinedRow {
  readonly tx_id: string
  readonly chain_id: number
  readonly signer: Address
  readonly finality: Finality | null
  readonly block_number: number
  readonly block_hash: Hash
}

export async function listMined(
  database: Database,
  chainId: number,
  limit: number,
): Promise<readonly MinedTransaction[]> {
  const rows = await database.query<MinedRow>(MINED, [chainId, limit])
  return rows.map((row) => ({
    txId: row.tx_id,
    lane: { chainId: row.chain_id, signer: row.signer },
    blockNumber: row.block_number,
    blockHash: row.block_hash,
    finality: row.finality,
  }))
}

/** One statement, so cursor, nonces and transactions are from the same moment. */
const LOAD = {
  name: 'load_lane',
  text: `
select k.ord::int - 1 as ord,
       (select c.next_nonce from signer_nonce_cursor c where c.chain_id = k.chain_id and c.signer = k.signer) as cursor,
       (select c.timeline from signer_nonce_cursor c where c.chain_id = k.chain_id and c.signer = k.signer) as timeline,
       (select json_agg(n.nonce order by n.nonce) from nonce_allocation n
         where n.chain_id = k.chain_id and n.signer = k.signer and n.is_recyclable) as recyclable,
       (select json_build_object(
                 'window', h.send_window, 'problems', h.problems, 'balance_wei', h.balance_wei::text,
                 'balance_at', (extract(epoch from h.balance_at) * 1000)::bigint, 'cost_wei', h.tx_cost_wei::text,
                 'cost_samples', h.tx_cost_samples)
          from signer_health h where h.chain_id = k.chain_id and h.signer = k.signer) as health,
       t.*
  from unnest($1::bigint[], $2::bytea[]) with ordinality as k(chain_id, signer, ord)
  left join lateral (
    select ${TRANSACTION_COLUMNS} from managed_tx t
     where t.chain_id = k.chain_id and t.signer = k.signer and t.nonce is not null and t.final_at is null) t on true
 order by k.ord, t.nonce`,
} as const

const NONCE_LINE = {
  name: 'read_nonce_line',
  text: `
select (select c.next_nonce from signer_nonce_cursor c where c.chain_id = $1 and c.signer = $2::bytea) as cursor,
       (select json_agg(n.nonce order by n.nonce) from nonce_allocation n
         where n.chain_id = $1 and n.signer = $2::bytea and n.is_recyclable) as recyclable,
       (select count(*) from managed_tx t
         where t.chain_id = $1 and t.signer = $2::bytea and ${inLine('t')}
           and t.priority >= 0) as queued`,
} as const

const EXPIRED = {
  name: 'read_expired',
  text: `
select t.* from signer_lease l
 cross join lateral (
   (select ${TRANSACTION_COLUMNS}, t.valid_until as late_since from managed_tx t
     where t.chain_id = l.chain_id and t.signer = l.signer and t.queue_position is not null
       and t.valid_until is not null and t.valid_until <= clock_timestamp()
     order by t.valid_until limit $2)
   union all
   (select ${TRANSACTION_COLUMNS}, t.approve_by from managed_tx t
     where t.chain_id = l.chain_id and t.signer = l.signer and t.approve_by is not null
       and t.approve_by <= clock_timestamp() and t.queue_position is not null
       and (t.valid_until is null or t.valid_until > clock_timestamp())
     order by t.approve_by limit $2)
   union all
   (select ${TRANSACTION_COLUMNS}, t.created_at from managed_tx t
      join json_to_recordset($3::json) as c(chain_id bigint, height bigint, time timestamptz) on c.chain_id = t.chain_id
     where t.chain_id = l.chain_id and t.signer = l.signer and t.queue_position is not null
       and (t.not_before_height is not null or t.not_before_time is not null) and t.sub_state = 'scheduled'
       and (t.not_before_height <= c.height or t.not_before_time <= c.time)
       and (t.valid_until is null or t.valid_until > clock_timestamp())
     order by t.queue_position limit $2)) t
 where l.owner_node = $1 and l.expires_at > clock_timestamp()
 order by t.late_since, t.tx_id limit $2`,
} as const

const AHEAD = {
  name: 'count_ahead',
  text: `
select (select count(*) from managed_tx o
         where o.chain_id = t.chain_id and o.signer = t.signer and ${inLine('o')}
           and (o.priority > t.priority or (o.priority = t.priority and o.queue_position < t.queue_position))) as ahead
  from managed_tx t where t.tx_id = $1 and t.queue_position is not null`,
} as const

const QUEUED = {
  name: 'count_queued',
  text: `
select q.chain_id, q.signer, q.tenant, q.queued, coalesce(t.created_at, clock_timestamp()) as oldest_at
  from (select chain_id, signer, tenant, count(*) as queued,
               min(queue_position) filter (where sub_state <> 'scheduled') as first from managed_tx
         where queue_position is not null group by chain_id, signer, tenant) q
  left join managed_tx t on t.accepted_seq = q.first`,
} as const

const UNMINED_AGE = {
  name: 'unmined_age',
  text: `
select (extract(epoch from clock_timestamp() - min(waiting_since)) * 1000)::float8 as age_ms
  from managed_tx
 where chain_id = $1 and nonce is not null and final_at is null and inclusion is null and not suspended`,
} as const

interface NonceLineRow {
  readonly cursor: number | null
  readonly recyclable: readonly number[] | null
  readonly queued: number
}

interface HealthJson {
  readonly window: Window | null
  readonly problems: readonly LaneProblem[]
  readonly balance_wei: string | null
  readonly balance_at: number | null
  readonly cost_wei: string | null
  readonly cost_samples: number | null
}

type LoadedRow = {
  readonly ord: number
  readonly cursor: number | null
  readonly timeline: number | null
  readonly recyclable: readonly number[] | null
  readonly health: HealthJson | null
} & (TransactionRow | { readonly tx_id: null })

export function createLaneLoads(database: Database, timeline: Timeline): (lane: Lane) => Promise<LoadedLane> {
  return createReadTogether(async (lanes) => {
    const values = [lanes.map(({ chainId }) => chainId), lanes.map(({ signer }) => toBytes(signer))]
    const rows: LoadedRow[][] = lanes.map(() => [])
    for (const row of await database.query<LoadedRow>(LOAD, values)) rows[row.ord]?.push(row)
    // After the lanes: a server that is promoted in between counts as promoted.
    const now = await timeline.read()
    return rows.map((own) => attempt(() => readLane(own, now)))
  })
}

/** A lane that cannot be read does not fail the others requested with it. */
function attempt<T>(read: () => T): T | Error {
  try {
    return read()
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

function readLane(rows: readonly LoadedRow[], timeline: number | null): LoadedLane {
  const inFlight = rows.flatMap((row) => {
    if (row.tx_id === null) return []
    const tx = readTransaction(row)
    if (!isInFlight(tx)) throw new Error(`transaction ${tx.id} is ${tx.state} among the live ones`)
    return [tx]
  })
  const [first] = rows
  const health = first?.health ?? null
  const movedOn = first?.timeline ?? null
  return {
    cursor: first?.cursor ?? null,
    ...(movedOn !== null && timeline !== null && movedOn !== timeline && { isPromotedSince: true }),
    inFlight,
    recyclable: first?.recyclable ?? [],
    window: health?.window ?? null,
    seen: readSeen(health),
  }
}

function readSeen(health: HealthJson | null): LoadedLane['seen'] {
  const {
    balance_wei: wei = null,
    balance_at: at = null,
    cost_wei: cost = null,
    cost_samples: samples = null,
  } = health ?? {}
  return {
    balance: wei === null || at === null ? null : { wei: BigInt(wei), at },
    txCost: cost === null || samples === null ? null : { wei: BigInt(cost), samples },
    problems: health?.problems ?? [],
  }
}

export async function readNonceLine(database: Database, lane: Lane): Promise<NonceLine> {
  const [row] = await database.query<NonceLineRow>(NONCE_LINE, [lane.chainId, toBytes(lane.signer)])
  return { cursor: row?.cursor ?? null, recyclable: row?.recyclable ?? [], queued: row?.queued ?? 0 }
}

export async function readExpired(
  database: Database,
  nodeId: string,
  limit: number,
  chains: ChainTimes,
): Promise<readonly Queued[]> {
  const times = [...chains].map(([chainId, { height, timeMs }]) => ({
    chain_id: chainId,
    height,
    time: toTime(timeMs),
  }))
  return (await database.query<TransactionRow>(EXPIRED, [nodeId, limit, JSON.stringify(times)])).map(readQueued)
}

export async function countAhead(database: Database, id: TxId): Promise<number | null> {
  if (!isTxId(id)) return null
  const [row] = await database.query<{ ahead: number }>(AHEAD, [id])
  return row?.ahead ?? null
}

export async function countQueued(database: Database): Promise<readonly QueueDepth[]> {
  interface Row {
    readonly chain_id: number
    readonly signer: Address
    readonly tenant: string
    readonly queued: number
    readonly oldest_at: number
  }
  const rows = await database.query<Row>(QUEUED, [])
  return rows.map(({ chain_id: chainId, signer, tenant, queued, oldest_at: oldestAt }) => ({
    lane: { chainId, signer },
    tenant,
    queued,
    oldestAt,
  }))
}

export async function readUnminedAge(database: Database, chainId: number): Promise<number | null> {
  const [row] = await database.query<{ age_ms: number | null }>(UNMINED_AGE, [chainId])
  return row?.age_ms ?? null
}
