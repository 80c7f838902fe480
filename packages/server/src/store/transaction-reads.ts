/** Transactions for whoever asks: by id, by any hash they ever had, and in pages, newest first. */
import type { Hash } from '../core/hex.ts'
import type { Transaction, TxId, TxState } from '../core/transaction.ts'
import type { Page, RequestKey, TransactionFilter } from '../ports/store.ts'
import type { Database } from './database.ts'
import { toBytes, toText, toTime } from './json-text.ts'
import { readTransaction, TRANSACTION_COLUMNS, type TransactionRow } from './transaction-row.ts'
import { assertPageCursor, isTxId } from './tx-id.ts'

const BY_ID = {
  name: 'find_transaction',
  text: `select ${TRANSACTION_COLUMNS} from managed_tx t where t.tx_id = $1`,
} as const

const BY_IDS = {
  name: 'find_transactions',
  text: `select ${TRANSACTION_COLUMNS} from managed_tx t where t.tx_id = any($1::uuid[])`,
} as const

const BY_HASH = {
  name: 'find_transaction_by_hash',
  text: `
select ${TRANSACTION_COLUMNS} from managed_tx t
 where t.tx_id = (select a.tx_id from tx_attempt a where a.hash = $1::bytea)`,
} as const

const BY_REQUEST = {
  name: 'find_requests',
  text: `
select k.ord, ${TRANSACTION_COLUMNS}
  from json_to_recordset($1::json) as k(ord int, chain_id bigint, signer bytea, request_id text, tenant text)
 cross join lateral (
   select * from managed_tx m
    where m.chain_id = k.chain_id and m.signer = k.signer and m.request_id = k.request_id
      and m.tenant in (k.tenant, '') order by m.tenant desc limit 1) t`,
} as const

const IN_FLIGHT: readonly TxState[] = ['ALLOCATED', 'TRACKING', 'STUCK']
const OPEN: readonly TxState[] = ['QUEUED', ...IN_FLIGHT]

/**
 * Neither a nonce nor a request id has an index of its own, but each lane has one: so lane by lane, of which there are few.
 * The allocation knows who holds a nonce; the lane's transactions have no index by nonce once they are final.
 */
const HOLDERS_OF_NONCE = `t.tx_id = any(array(
  select n.tx_id from signer s
   cross join lateral (
     select n.tx_id from nonce_allocation n
      where n.chain_id = s.chain_id and n.signer = s.signer and n.nonce = ? and n.tx_id is not null) n))`

const MAKERS_OF_REQUEST = `t.tx_id = any(array(
  select m.tx_id from signer s
   cross join lateral (
     select m.tx_id from managed_tx m
      where m.chain_id = s.chain_id and m.signer = s.signer and m.request_id = ?) m))`

/** How long an id can be older than its row: a node that keeps trying to store it gives up long before. */
const ID_SLACK_MS = 60 * 60_000

export async function findTransaction(database: Database, id: TxId): Promise<Transaction | null> {
  return isTxId(id) ? first(await database.query<TransactionRow>(BY_ID, [id])) : null
}

export async function findTransactions(database: Database, ids: readonly TxId[]): Promise<readonly Transaction[]> {
  const rows = await database.query<TransactionRow>(BY_IDS, [ids.filter(isTxId)])
  return rows.map(readTransaction)
}

export async function findTransactionByHash(database: Database, hash: Hash): Promise<Transaction | null> {
  return first(await database.query<TransactionRow>(BY_HASH, [toBytes(hash)]))
}

export async function findRequests(
  database: Database,
  keys: readonly RequestKey[],
): Promise<readonly (Transaction | null)[]> {
  const asked = keys.map(({ lane, requestId, tenant }, ord) => ({
    ord,
    chain_id: lane.chainId,
    signer: toBytes(lane.signer),
    request_id: toText(requestId),
    tenant: toText(tenant),
  }))
  const rows = await database.query<TransactionRow & { readonly ord: number }>(BY_REQUEST, [JSON.stringify(asked)])
  const found = new Map(rows.map((row) => [row.ord, readTransaction(row)]))
  return keys.map((_, ord) => found.get(ord) ?? null)
}

export async function listTransactions(
  database: Database,
  filter: TransactionFilter,
  page: { readonly after: string | null; readonly limit: number },
): Promise<Page<Transaction>> {
  assertPageCursor(page.after)
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
  const { chainId, from, states, requestId, hash, nonce, since, reach } = filter
  if (reach?.signers)
    add(
      't.signer = any(?::bytea[])',
      reach.signers.map((signer) => toBytes(signer)),
    )
  if (reach?.chains) add('t.chain_id = any(?::bigint[])', reach.chains)
  if (chainId !== undefined) add('t.chain_id = ?', chainId)
  if (from !== undefined) add('t.signer = ?::bytea', toBytes(from))
  if (requestId !== undefined) add(MAKERS_OF_REQUEST, toText(requestId))
  if (hash !== undefined) add('t.tx_id = (select a.tx_id from tx_attempt a where a.hash = ?::bytea)', toBytes(hash))
  if (nonce !== undefined) add(`t.nonce = ? and ${HOLDERS_OF_NONCE}`, nonce)
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
