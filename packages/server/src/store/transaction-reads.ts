/** Transactions for whoever asks: by id, by any hash they ever had, and in pages, newest first. */
import type { Hash } from '../core/hex.ts'
import type { Transaction, TxId, TxState } from '../core/transaction.ts'
import type { Page, TransactionFilter } from '../ports/store.ts'
import type { Database } from './database.ts'
import { toBytes, toTime } from './json-text.ts'
import { readTransaction, TRANSACTION_COLUMNS, type TransactionRow } from './transaction-row.ts'

const BY_ID = {
  name: 'find_transaction',
  text: `select ${TRANSACTION_COLUMNS} from managed_tx t where t.tx_id = $1`,
} as const

const BY_HASH = {
  name: 'find_transaction_by_hash',
  text: `
select ${TRANSACTION_COLUMNS} from managed_tx t
 where t.tx_id = (select a.tx_id from tx_attempt a where a.hash = $1::bytea)`,
} as const

const IN_FLIGHT: readonly TxState[] = ['ALLOCATED', 'TRACKING', 'STUCK']
const OPEN: readonly TxState[] = ['QUEUED', ...IN_FLIGHT]

/** How long an id can be older than its row: a node that keeps trying to store it gives up long before. */
const ID_SLACK_MS = 60 * 60_000

export async function findTransaction(database: Database, id: TxId): Promise<Transaction | null> {
  return first(await database.query<TransactionRow>(BY_ID, [id]))
}

export async function findTransactionByHash(database: Database, hash: Hash): Promise<Transaction | null> {
  return first(await database.query<TransactionRow>(BY_HASH, [toBytes(hash)]))
}

export async function listTransactions(
  database: Database,
  filter: TransactionFilter,
  page: { readonly after: string | null; readonly limit: number },
): Promise<Page<Transaction>> {
  const { conditions, values } = toConditions(filter, page.after)
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`
  const text = `select ${TRANSACTION_COLUMNS} from managed_tx t ${where} order by t.tx_id desc limit ${page.limit + 1}`
  const rows = await database.query<TransactionRow>({ name: null, text }, values)
  const items = rows.slice(0, page.limit).map(readTransaction)
  return { items, next: rows.length > page.limit ? (items.at(-1)?.id ?? null) : null }
}

function toConditions(filter: TransactionFilter, after: string | null) {
  const conditions: string[] = []
  const values: unknown[] = []
  /** `?` stands for the value. */
  const add = (condition: string, value: unknown): void => {
    values.push(value)
    conditions.push(condition.replaceAll('?', `$${values.length}`))
  }
  const { chainId, from, states, requestId, hash, nonce, since } = filter
  if (chainId !== undefined) add('t.chain_id = ?', chainId)
  if (from !== undefined) add('t.signer = ?::bytea', toBytes(from))
  if (requestId !== undefined) add('t.request_id = ?', requestId)
  if (hash !== undefined) add('t.tx_id = (select a.tx_id from tx_attempt a where a.hash = ?::bytea)', toBytes(hash))
  if (nonce !== undefined) add('t.nonce = ?', nonce)
  if (states !== undefined) {
    add('t.state = any(?::text[])', states)
    conditions.push(...impliedBy(states))
  }
  if (since !== undefined) {
    add('t.created_at >= ?::timestamptz', toTime(since))
    add('t.tx_id >= ?::uuid', earliestId(since - ID_SLACK_MS))
  }
  if (after !== null) add('t.tx_id < ?::uuid', after)
  return { conditions, values }
}

/** State is not indexed; what it implies is. */
function impliedBy(states: readonly TxState[]): readonly string[] {
  if (states.every((state) => state === 'QUEUED')) return ['t.queue_position is not null']
  if (states.every((state) => IN_FLIGHT.includes(state))) return ['t.nonce is not null', 't.final_at is null']
  if (states.every((state) => OPEN.includes(state))) return ['t.final_at is null']
  return []
}

/** Ids begin with the milliseconds of their making (UUID version 7), so a time bounds the part of the index to read. */
function earliestId(ms: number): string {
  const hex = Math.max(0, Math.min(Math.floor(ms), 2 ** 48 - 1))
    .toString(16)
    .padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

function first(rows: readonly TransactionRow[]): Transaction | null {
  const [row] = rows
  return row === undefined ? null : readTransaction(row)
}
