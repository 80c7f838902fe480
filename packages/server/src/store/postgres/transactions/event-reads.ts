/** History and stream: the same rows, read by transaction or by place. */
import type { Reach } from '../../../core/access/caller.ts'
import type { Inclusion } from '../../../core/chain/finality.ts'
import type { Address } from '../../../core/hex.ts'
import type { TxError, TxId, TxState } from '../../../core/transaction/transaction.ts'
import { COMPLETING_EVENTS } from '../../../core/transaction/tx-event.ts'
import type { Completion, HistoryEntry, HistoryPage } from '../../../ports/history.ts'
import { isTxId } from '../../rules/tx-id.ts'
import type { Database } from '../database.ts'
import { reachValues } from '../reach-values.ts'
import { readInclusion, type Stored } from '../stored-json.ts'

interface EventRow {
  readonly event_id: number
  readonly tx_id: string | null
  readonly chain_id: number
  readonly signer: Address
  readonly type: string
  readonly cause: string | null
  readonly from_state: TxState | null
  readonly to_state: TxState | null
  readonly sub_state: string | null
  readonly node_id: string | null
  readonly fencing_token: number | null
  readonly detail: Readonly<Record<string, unknown>>
  readonly at: number
  readonly count: number
  readonly last_at: number
  readonly is_completion: boolean
  readonly request_id: string | null
  readonly metadata: Readonly<Record<string, string>> | null
  readonly inclusion: Stored<Inclusion> | null
  readonly error: TxError | null
}

/** Of `tx_event e` and, for the one entry that ended a transaction, of `managed_tx t`. */
const COLUMNS = `
  e.event_id, e.tx_id, e.chain_id, e.signer, e.type, e.cause, e.from_state, e.to_state, e.sub_state, e.node_id,
  e.fencing_token, e.detail, e.at, e.count, e.last_at, t.tx_id is not null as is_completion, t.request_id, t.metadata,
  t.inclusion, t.error`

/** Of the one entry that ended a transaction. */
export const IS_COMPLETION = `
  e.to_state in ('CONFIRMED', 'FAILED_FINAL', 'CANCELLED', 'EXPIRED')
  and e.type in (${COMPLETING_EVENTS.map((type) => `'${type}'`).join(', ')})`

/** Final data never changes, so it need not be stored twice. Without a key nothing is looked up. */
const EVENTS_FROM = `tx_event e left join managed_tx t on t.tx_id = case when ${IS_COMPLETION} then e.tx_id end`

const HISTORY = {
  name: 'read_history',
  text: `select ${COLUMNS} from ${EVENTS_FROM} where e.tx_id = $1 order by e.tx_seq`,
} as const

/**
 * The cursor is an event of this very transaction: its place in the history is looked up, and the index scan continues
 * from there.
 */
const PLACE = '(select p.tx_seq from tx_event p where p.event_id = $2 and p.tx_id = $1)'

const HISTORY_PAGES = {
  asc: {
    name: 'read_history_page',
    text: `
select ${COLUMNS} from ${EVENTS_FROM}
 where e.tx_id = $1 and e.tx_seq > case when $2::bigint is null then 0 else ${PLACE} end
 order by e.tx_seq limit $3`,
  },
  desc: {
    name: 'read_history_page_back',
    text: `
select ${COLUMNS} from ${EVENTS_FROM}
 where e.tx_id = $1 and e.tx_seq < case when $2::bigint is null then 2147483647 else ${PLACE} end
 order by e.tx_seq desc limit $3`,
  },
} as const

const WITHIN_REACH = '($3::bytea[] is null or e.signer = any($3)) and ($4::bigint[] is null or e.chain_id = any($4))'

const EVENTS = {
  name: 'read_events',
  text: `select ${COLUMNS} from ${EVENTS_FROM} where e.event_id > $1 and ${WITHIN_REACH} order by e.event_id limit $2`,
} as const

const COMPLETIONS = {
  name: 'read_completions',
  text: `
select ${COLUMNS} from ${EVENTS_FROM}
 where e.event_id > $1 and ${IS_COMPLETION} and ${WITHIN_REACH}
 order by e.event_id limit $2`,
} as const

const LANE_EVENTS = {
  name: 'read_lane_events',
  text: `select ${COLUMNS} from ${EVENTS_FROM} where e.event_id > $1 and e.tx_id is null order by e.event_id limit $2`,
} as const

const HISTORIES = {
  name: 'read_histories',
  text: `select ${COLUMNS} from ${EVENTS_FROM} where e.tx_id = any($1::uuid[]) order by e.event_id`,
} as const

const BY_ID = {
  name: 'read_events_by_id',
  text: `select ${COLUMNS} from ${EVENTS_FROM} where e.event_id = any($1::bigint[])`,
} as const

const LAST = { name: 'find_last_event', text: 'select last_id from event_head' } as const

export async function readHistory(database: Database, id: TxId, page?: HistoryPage): Promise<readonly HistoryEntry[]> {
  if (!isTxId(id)) return []
  if (page === undefined) return (await database.query<EventRow>(HISTORY, [id])).map(toEntry)
  const { order, after, limit } = page
  return (await database.query<EventRow>(HISTORY_PAGES[order], [id, after, limit])).map(toEntry)
}

export async function readEvents(
  database: Database,
  after: number,
  limit: number,
  reach?: Reach,
): Promise<readonly HistoryEntry[]> {
  return (await database.query<EventRow>(EVENTS, [after, limit, ...reachValues(reach)])).map(toEntry)
}

export async function readCompletions(
  database: Database,
  after: number,
  limit: number,
  reach?: Reach,
): Promise<readonly HistoryEntry[]> {
  const values = [after, limit, ...reachValues(reach)]
  return (await database.query<EventRow>(COMPLETIONS, values)).map(toEntry)
}

/** Those that belong to no transaction. */
export async function readLaneEvents(
  database: Database,
  after: number,
  limit: number,
): Promise<readonly HistoryEntry[]> {
  return (await database.query<EventRow>(LANE_EVENTS, [after, limit])).map(toEntry)
}

/** Of several transactions, oldest first. */
export async function readHistories(database: Database, ids: readonly TxId[]): Promise<readonly HistoryEntry[]> {
  return (await database.query<EventRow>(HISTORIES, [ids])).map(toEntry)
}

/** Those that exist, in no order. */
export async function readEventsById(database: Database, ids: readonly number[]): Promise<readonly HistoryEntry[]> {
  return ids.length === 0 ? [] : (await database.query<EventRow>(BY_ID, [ids])).map(toEntry)
}

export async function findLastEventId(database: Database): Promise<number> {
  const [row] = await database.query<{ last_id: number }>(LAST, [])
  if (row === undefined) throw new Error('the event stream has lost its head')
  return row.last_id
}

function toEntry(row: EventRow): HistoryEntry {
  return {
    eventId: row.event_id,
    txId: row.tx_id,
    lane: { chainId: row.chain_id, signer: row.signer },
    type: row.type,
    cause: row.cause,
    fromState: row.from_state,
    toState: row.to_state,
    subState: row.sub_state,
    nodeId: row.node_id,
    fence: row.fencing_token,
    detail: row.detail,
    at: row.at,
    count: row.count,
    lastAt: row.last_at,
    completion: row.is_completion ? toCompletion(row) : null,
  }
}

function toCompletion({ request_id: requestId, metadata, inclusion, error }: EventRow): Completion {
  return { requestId, metadata: metadata ?? {}, inclusion: inclusion && readInclusion(inclusion), error }
}
