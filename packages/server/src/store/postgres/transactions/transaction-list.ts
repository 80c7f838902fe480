/**
 * Lists of transactions in the order of acceptance, from either end.
 *
 * Every filter has an index to go by, but which one is best depends on the values: for a prefix that every row has,
 * walking the order is better. So the SQL is built for each list and planned with its values. Only CONFIRMED has no index:
 * most that are final are.
 */
import type { SubState, Transaction, TxState } from '../../../core/transaction/transaction.ts'
import type { Page, PageRequest, TransactionFilter } from '../../../ports/store.ts'
import { readPageCursor } from '../../rules/tx-id.ts'
import type { Database } from '../database.ts'
import { toBytes, toJson, toText, toTime } from '../json-text.ts'
import { endOfPrefix } from '../text-prefix.ts'
import { settleAcceptance } from './acceptance-order.ts'
import { readTransaction, TRANSACTION_COLUMNS, type TransactionRow } from './transaction-row.ts'

const IN_FLIGHT: readonly TxState[] = ['ALLOCATED', 'TRACKING', 'STUCK']
/** Sub-states that only queued transactions have. */
const WAITING: readonly SubState[] = ['awaiting_approval', 'held_by_rule', 'scheduled']
const OPEN: readonly TxState[] = ['QUEUED', ...IN_FLIGHT]
const FAILED: readonly TxState[] = ['FAILED_FINAL', 'CANCELLED', 'EXPIRED']

/**
 * A nonce has no index of its own, but each lane has one: so this goes lane by lane, and there are few lanes. The
 * allocation knows which transaction holds a nonce; the lane's transactions have no index by nonce once they are final.
 */
const HOLDERS_OF_NONCE = `t.tx_id = any(array(
  select n.tx_id from signer s
   cross join lateral (
     select n.tx_id from nonce_allocation n
      where n.chain_id = s.chain_id and n.signer = s.signer and n.nonce = ? and n.tx_id is not null) n))`

/** How far the order of acceptance and the database's clock can be apart: longer than any statement may run. */
const CLOCK_SLACK_MS = 60_000

/** Recent enough that an insert that began before it may still be in progress. */
const IS_RECENT = `t.created_at > clock_timestamp() - interval '${CLOCK_SLACK_MS} milliseconds'`

/** Limits the part of the order that is walked: each time is looked up once and becomes a place. */
const AFTER_TIME = `t.created_at >= ?::timestamptz and t.accepted_seq > coalesce(
  (select p.accepted_seq from managed_tx p where p.created_at < ?::timestamptz order by p.created_at desc limit 1), 0)`

const BEFORE_TIME = `t.created_at < ?::timestamptz and t.accepted_seq < coalesce(
  (select p.accepted_seq from managed_tx p where p.created_at > ?::timestamptz order by p.created_at limit 1),
  9223372036854775807)`

/** Worded like the predicates of the two indexes that apply. */
const IS_OPEN = '(t.queue_position is not null or (t.nonce is not null and t.final_at is null))'

type ListRow = TransactionRow & { readonly accepted_seq: number; readonly is_recent: boolean }

export async function listTransactions(
  database: Database,
  filter: TransactionFilter,
  { after, limit, order = 'desc' }: PageRequest,
): Promise<Page<Transaction>> {
  const { conditions, values } = toConditions(filter)
  const place = readPageCursor(after)
  if (place !== null) conditions.push(`t.accepted_seq ${order === 'asc' ? '>' : '<'} ${place}`)
  const read = (bounds: readonly string[]): Promise<readonly ListRow[]> => {
    const where = bounds.length === 0 ? '' : `where ${bounds.join(' and ')}`
    const text = `select ${TRANSACTION_COLUMNS}, t.accepted_seq, ${IS_RECENT} as is_recent from managed_tx t ${where}
 order by t.accepted_seq ${order} limit ${limit + 1}`
    return database.query<ListRow>({ name: null, text }, values)
  }
  let rows = await read(conditions)
  // An older insert may still be about to commit, and the next page would skip it.
  if (order === 'asc' && rows.length > limit && rows.some((row) => row.is_recent)) {
    rows = await read([...conditions, `t.accepted_seq <= ${await settleAcceptance(database)}`])
  }
  const shown = rows.slice(0, limit)
  return {
    items: shown.map(readTransaction),
    next: rows.length > limit ? (shown.at(-1)?.accepted_seq.toString() ?? null) : null,
  }
}

function toConditions(filter: TransactionFilter) {
  const conditions: string[] = []
  const values: unknown[] = []
  /** Each `?` stands for the next value. */
  const add = (condition: string, ...given: readonly unknown[]): void => {
    let rest = condition
    for (const value of given) {
      values.push(value)
      rest = rest.replace('?', `$${values.length}`)
    }
    conditions.push(rest)
  }
  addLane(filter, add)
  addTime(filter, add)
  const { states, subState, requestId, requestIdPrefix, requestsOf, hash, nonce, to, metadata } = filter
  if (requestId !== undefined) add('t.request_id = ?', toText(requestId))
  if (requestIdPrefix !== undefined) addPrefix(toText(requestIdPrefix), add)
  if (requestsOf !== undefined) add("t.tenant in (?, '')", toText(requestsOf))
  if (hash !== undefined) add('t.tx_id = (select a.tx_id from tx_attempt a where a.hash = ?::bytea)', toBytes(hash))
  if (nonce !== undefined) add(`t.nonce = ? and ${HOLDERS_OF_NONCE}`, nonce, nonce)
  if (to !== undefined) add('t.to_address = ?::bytea', toBytes(to))
  // The second half is what the index is restricted to.
  if (metadata !== undefined) add("t.metadata @> ?::jsonb and t.metadata <> '{}'", toJson(metadata))
  if (subState !== undefined) {
    add('t.sub_state = ?', subState)
    if (WAITING.includes(subState)) conditions.push('t.queue_position is not null')
  }
  if (states !== undefined) {
    add('t.state = any(?::text[])', states)
    conditions.push(...impliedBy(states))
    if (states.every((state) => FAILED.includes(state))) addFailed(states, add)
  }
  return { conditions, values }
}

type Add = (condition: string, ...given: readonly unknown[]) => void

function addLane({ chainId, from, reach }: TransactionFilter, add: Add): void {
  const signers = reach?.signers?.map((signer) => toBytes(signer))
  if (signers) add('t.signer = any(?::bytea[])', signers)
  if (reach?.chains) add('t.chain_id = any(?::bigint[])', reach.chains)
  if (chainId !== undefined) add('t.chain_id = ?', chainId)
  if (from !== undefined) add('t.signer = ?::bytea', toBytes(from))
}

function addTime({ since, until }: TransactionFilter, add: Add): void {
  if (since !== undefined) add(AFTER_TIME, toTime(since), toTime(since - CLOCK_SLACK_MS))
  if (until !== undefined) add(BEFORE_TIME, toTime(until), toTime(until + CLOCK_SLACK_MS))
}

/** By bytes, like the index, whatever the database's locale is. */
function addPrefix(prefix: string, add: Add): void {
  add('t.request_id ~>=~ ?', prefix)
  const end = endOfPrefix(prefix)
  if (end !== null) add('t.request_id ~<~ ?', end)
}

/** One state by equality, so that the index gives the order too. */
function addFailed(states: readonly TxState[], add: Add): void {
  if (states.length === 1) add('t.failed_as = ?', states[0])
  else add('t.failed_as is not null and t.failed_as = any(?::text[])', states)
}

/** State is not indexed; what it implies is. */
function impliedBy(states: readonly TxState[]): readonly string[] {
  if (states.every((state) => state === 'QUEUED')) return ['t.queue_position is not null']
  if (states.every((state) => IN_FLIGHT.includes(state))) return ['t.nonce is not null', 't.final_at is null']
  if (states.every((state) => OPEN.includes(state))) return [IS_OPEN]
  return []
}
