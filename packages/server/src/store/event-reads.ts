/** History and stream: the same rows, read by transaction or by place. */
import type { Address } from '../core/hex.ts'
import type { TxId, TxState } from '../core/transaction.ts'
import { COMPLETING_EVENTS } from '../core/tx-event.ts'
import type { HistoryEntry } from '../ports/store.ts'
import type { Database } from './database.ts'
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

const EVENTS = {
  name: 'read_events',
  text: `select ${COLUMNS} from tx_event where event_id > $1 order by event_id limit $2`,
} as const

const COMPLETIONS = {
  name: 'read_completions',
  text: `
select ${COLUMNS} from tx_event
 where event_id > $1 and to_state in ('CONFIRMED', 'FAILED_FINAL', 'CANCELLED', 'EXPIRED') and type = any($3::text[])
 order by event_id limit $2`,
} as const

export async function readHistory(database: Database, id: TxId): Promise<readonly HistoryEntry[]> {
  return isTxId(id) ? (await database.query<EventRow>(HISTORY, [id])).map(toEntry) : []
}

export async function readEvents(database: Database, after: number, limit: number): Promise<readonly HistoryEntry[]> {
  return (await database.query<EventRow>(EVENTS, [after, limit])).map(toEntry)
}

export async function readCompletions(
  database: Database,
  after: number,
  limit: number,
): Promise<readonly HistoryEntry[]> {
  return (await database.query<EventRow>(COMPLETIONS, [after, limit, COMPLETING_EVENTS])).map(toEntry)
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
