/** Reads single transactions: by id, by any hash they ever had, or by request. */
import type { Hash } from '../../../core/hex.ts'
import type { Transaction, TxId } from '../../../core/transaction/transaction.ts'
import type { DeletedRequest, RequestKey } from '../../../ports/store.ts'
import { isTxId } from '../../rules/tx-id.ts'
import type { Database } from '../database.ts'
import { toBytes, toText } from '../json-text.ts'
import { readTransaction, TRANSACTION_COLUMNS, type TransactionRow } from './transaction-row.ts'

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

/**
 * `chain_id + 0` leaves one index to go by, see migration 0014. Only ids: most requests are new, and describing the
 * columns of a transaction would cost more than the lookup itself.
 */
const BY_REQUEST = {
  name: 'find_requests',
  text: `
select k.ord, coalesce(t.tx_id, r.tx_id) as tx_id, r.request_digest
  from json_to_recordset($1::json) as k(ord int, chain_id bigint, signer bytea, request_id text, tenant text)
  left join lateral (
    select m.tx_id from managed_tx m
     where m.request_id = k.request_id and m.signer = k.signer and m.tenant in (k.tenant, '')
       and m.chain_id + 0 = k.chain_id
     order by m.tenant desc limit 1) t on true
  left join lateral (
    select x.tx_id, x.request_digest from retired_tx x
     where x.request_id = k.request_id and x.signer = k.signer and x.tenant in (k.tenant, '')
       and x.chain_id + 0 = k.chain_id and t.tx_id is null
     order by x.tenant desc limit 1) r on true
 where t.tx_id is not null or r.tx_id is not null`,
} as const

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
): Promise<readonly (Transaction | DeletedRequest | null)[]> {
  interface Row {
    readonly ord: number
    readonly tx_id: TxId
    /** Of a transaction that was deleted; null: it is stored. */
    readonly request_digest: Hash | null
  }
  const asked = keys.map(({ lane, requestId, tenant }, ord) => ({
    ord,
    chain_id: lane.chainId,
    signer: toBytes(lane.signer),
    request_id: toText(requestId),
    tenant: toText(tenant),
  }))
  const rows = await database.query<Row>(BY_REQUEST, [JSON.stringify(asked)])
  const stored = rows.filter((row) => row.request_digest === null).map((row) => row.tx_id)
  const found = new Map<TxId, Transaction | DeletedRequest>(
    rows.flatMap(({ tx_id: id, request_digest: requestDigest }) =>
      requestDigest === null ? [] : [[id, { state: 'DELETED', id, requestDigest }]],
    ),
  )
  if (stored.length > 0) for (const tx of await findTransactions(database, stored)) found.set(tx.id, tx)
  const idOf = new Map(rows.map((row) => [row.ord, row.tx_id]))
  return keys.map((_, ord) => found.get(idOf.get(ord) ?? '') ?? null)
}

function first(rows: readonly TransactionRow[]): Transaction | null {
  const [row] = rows
  return row === undefined ? null : readTransaction(row)
}
