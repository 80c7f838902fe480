/** History and stream: the same rows, read by transaction or by place. */
import type { Reach } from '../core/caller.ts'
import type { Address } from '../core/hex.ts'
import type { TxId, TxState } from '../core/transaction.ts'
import { COMPLETING_EVENTS } from '../core/tx-event.ts'
import type { HistoryEntry, HistoryPage } from '../ports/store.ts'
import type { Database } from './database.ts'
import { reachValues } from './reach-values.ts'
import { isTxId } from './tx-id.ts'

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
}

const COLUMNS = `
  event_id, tx_id, chain_id, signer, type, cause, from_state, to_state, sub_state, node_id, fencing_token, detail, at,
  count, last_at`

const HISTORY = {
  name: 'read_history',
  text: `select ${COLUMNS} from tx_event where tx_id = $1 order by tx_seq`,
} as const

/** The cursor is an event of this very transaction: its place in the history is looked up, and the index goes on from there. */
const HISTORY_PAGES = {
  asc: {
    name: 'read_history_page',
    text: `
select ${COLUMNS} from tx_event
 where tx_id = $1
   and tx_seq > case when $2::bigint is null then 0
                     else (select e.tx_seq from tx_event e where e.event_id = $2 and e.tx_id = $1) end
 order by tx_seq limit $3`,
  },
  desc: {
    name: 'read_history_page_back',
    text: `
select ${COLUMNS} from tx_event
 where tx_id = $1
   and tx_seq < case when $2::bigint is null then 2147483647
                     else (select e.tx_seq from tx_event e where e.event_id = $2 and e.tx_id = $1) end
 order by tx_seq desc limit $3`,
  },
} as const

const WITHIN_REACH = '($3::bytea[] is null or signer = any($3)) and ($4::bigint[] is null or chain_id = any($4))'

const EVENTS = {
  name: 'read_events',
  text: `select ${COLUMNS} from tx_event where event_id > $1 and ${WITHIN_REACH} order by event_id limit $2`,
} as const

const COMPLETIONS = {
  name: 'read_completions',
  text: `
select ${COLUMNS} from tx_event
 where event_id > $1 and to_state in ('CONFIRMED', 'FAILED_FINAL', 'CANCELLED', 'EXPIRED') and type = any($5::text[])
   and ${WITHIN_REACH}
 order by event_id limit $2`,
} as const

const BY_ID = {
  name: 'read_events_by_id',
  text: `select ${COLUMNS} from tx_event where event_id = any($1::bigint[])`,
} as const

const LAST = { name: 'find_last_event', text: 'select last_id from event_head' } as const

export async function readHistory(
  database: Database,
  id: TxId,
  page?: HistoryPage,
): Promise<readonly HistoryEntry[]> {
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
  const values = [after, limit, ...reachValues(reach), COMPLETING_EVENTS]
  return (await database.query<EventRow>(COMPLETIONS, values)).map(toEntry)
}

/** Those of them that are there, in no order. */
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
  }
}
