/**
 * Acceptance, for the whole batch in one statement. Unique keys decide who was first, inside a batch and between nodes:
 * ON CONFLICT DO NOTHING waits for a rival that has not committed yet, so the next statement can read what was not
 * inserted. Only then does the batch need a second round trip.
 */
import type { SpendingWrite } from '../../../core/rules/judge.ts'
import type { Transaction } from '../../../core/transaction/transaction.ts'
import { type InsertOutcome, type NewTransaction, StoreUnavailable } from '../../../ports/store.ts'
import { bindingSubjects } from '../../rules/binding-subjects.ts'
import { ACCEPTED_NOTE, acceptedNote } from '../../rules/history-note.ts'
import { toQueued } from '../../rules/queued-transaction.ts'
import type { Database } from '../database.ts'
import { describeRefusal, isRefusal } from '../database-error.ts'
import { toBytes, toJson, toStored, toText, toTime } from '../json-text.ts'
import { CHANNEL, EVENTS_APPENDED } from '../notice-payload.ts'
import { SPENDING_WRITES, spendingSteps, toSpendingValues } from '../rules/spending-steps.ts'
import { lockOf } from './acceptance-order.ts'
import { readTransaction, TRANSACTION_COLUMNS, type TransactionRow } from './transaction-row.ts'

/**
 * Places in the queue are assigned in batch order under the locks of the lanes, see `acceptance-order.ts`. The head of
 * the event stream is locked last, as in every write.
 *
 * Look-ups by request write `chain_id + 0` and `(select …) is null`, so that no plan can do anything but probe the
 * index of requests once for each: an empty table makes reading all of it, or of a lane, look as cheap (see migration
 * 0014).
 */
const SUB_STATE = `case when i.approval is null then 'accepted' else 'awaiting_approval' end`

/** What an accepted transaction is given as, see `toAcceptedRow`. */
export const ACCEPTED_FIELDS = `
      ord int, tx_id uuid, chain_id bigint, signer bytea, request_id text, request_digest bytea, to_address bytea,
      data bytea, value numeric, gas_limit numeric, fees jsonb, speed text, priority int, valid_until timestamptz,
      finality jsonb, simulate boolean, simulated boolean, metadata jsonb, max_fee numeric, access_list jsonb,
      exact_nonce bigint, detail jsonb, tenant text, key_id text, approval jsonb, approve_by timestamptz,
      subjects text[], judged_by text[]`

/**
 * Steps of a statement that follow one named `input`, with those fields and `seq`, the place in line; `inserted` has what
 * was new. What rules bind is stored only if it was held against all of them. `before` names steps that must be done
 * before the head of the stream is locked.
 */
export const acceptSteps = (before: readonly string[] = []) => `
inserted as (
  insert into managed_tx (tx_id, chain_id, signer, request_id, request_digest, to_address, data, value, gas_limit,
                          fees, speed, priority, valid_until, finality, simulate, simulated, metadata, created_at,
                          accepted_seq, queue_position, state, sub_state, event_seq, event_open_from, max_fee,
                          access_list, exact_nonce, tenant, key_id, approval, approve_by)
  select i.tx_id, i.chain_id, i.signer, i.request_id, i.request_digest, i.to_address, i.data, i.value, i.gas_limit,
         i.fees, i.speed, i.priority, i.valid_until, i.finality, i.simulate, i.simulated, i.metadata,
         date_trunc('milliseconds', clock_timestamp()), i.seq, i.seq, 'QUEUED', ${SUB_STATE}, 1, 2, i.max_fee,
         i.access_list, i.exact_nonce, i.tenant, i.key_id, i.approval, i.approve_by
    from input i
   where exists (select from signer s where s.chain_id = i.chain_id and s.signer = i.signer and s.removed_at is null)
     and (i.tenant = '' or i.request_id is null or (
       select o.tx_id from managed_tx o
        where o.request_id = i.request_id and o.signer = i.signer and o.tenant = '' and o.chain_id + 0 = i.chain_id
        limit 1) is null)
     and not exists (select from spending_account a where a.subject = any(i.subjects) and a.subject <> all(i.judged_by))
   order by i.chain_id, i.signer, i.request_id, i.tenant, i.tx_id, i.ord
  on conflict do nothing
  returning tx_id, chain_id, signer, created_at, accepted_seq, sub_state
), head as (
  update event_head set last_id = last_id + (select count(*) from inserted)
   where exists (select from inserted)${before.map((step) => ` and (select count(*) from ${step}) >= 0`).join('')}
  returning last_id, clock_timestamp() as at
), appended as (
  insert into tx_event (event_id, tx_id, tx_seq, chain_id, signer, type, to_state, sub_state, detail, at, last_at)
  select h.last_id - count(*) over () + row_number() over (order by i.accepted_seq), i.tx_id, 1, i.chain_id, i.signer,
         '${ACCEPTED_NOTE.type}', 'QUEUED', i.sub_state, (select jsonb_object_agg(tx_id, detail) from input) -> i.tx_id::text,
         h.at, h.at
    from inserted i cross join head h
  returning 1
), told as materialized (
  select pg_notify('${CHANNEL}', payload)
    from (select format('{"type":"lane.work","chainId":%s,"signer":"0x%s"}', chain_id, encode(signer, 'hex')) as payload
            from (select distinct chain_id, signer from inserted) l
          union select '${EVENTS_APPENDED}' where exists (select from inserted)) n
)`

const INSERT = {
  name: 'insert_transactions',
  text: `
with locked as materialized (
  select pg_advisory_xact_lock(key) from (select key from unnest($2::bigint[]) key order by key) k
), input as materialized (
  select i.*, nextval('managed_tx_accepted_seq') as seq
    from json_to_recordset($1::json) as i(${ACCEPTED_FIELDS})
   where (select count(*) from locked) > 0
), ${acceptSteps()}
select tx_id, created_at, (select count(*) from appended) as appended, (select count(*) from told) as told
  from inserted`,
} as const

/** The same with rules: nothing that was held against them is stored unless the books are still what was read. */
const INSERT_RULED = {
  name: 'insert_ruled_transactions',
  text: `
with locked as materialized (
  select pg_advisory_xact_lock(key) from (select key from unnest($2::bigint[]) key order by key) k
), ${spendingSteps('$3', '$4', '$5', '(select count(*) from locked) > 0')}, input as materialized (
  select i.*, nextval('managed_tx_accepted_seq') as seq
    from json_to_recordset($1::json) as i(${ACCEPTED_FIELDS})
   where (select count(*) from locked) > 0 and (cardinality(i.judged_by) = 0 or (select fits from books))
), ${acceptSteps(SPENDING_WRITES)}
select tx_id, created_at, (select count(*) from appended) as appended, (select count(*) from told) as told
  from inserted`,
} as const

const RESOLVE = {
  name: 'resolve_inserts',
  text: `
select i.ord, exists (select from signer s where s.chain_id = i.chain_id and s.signer = i.signer and s.removed_at is null) as is_registered,
       exists (select from spending_account a where a.subject = any(i.subjects)) or cardinality(i.judged_by) > 0 as is_ruled,
       t.*
  from json_to_recordset($1::json) as i(
    ord int, tx_id uuid, chain_id bigint, signer bytea, request_id text, tenant text, subjects text[], judged_by text[])
  left join lateral (
    select ${TRANSACTION_COLUMNS} from managed_tx t
     where t.tx_id = coalesce(
       (select o.tx_id from managed_tx o where o.tx_id = i.tx_id),
       (select k.tx_id from managed_tx k
         where k.request_id = i.request_id and k.signer = i.signer and k.tenant in (i.tenant, '')
           and k.chain_id + 0 = i.chain_id
         order by k.tenant desc limit 1))) t on true`,
} as const

interface InsertedRow {
  readonly tx_id: string
  readonly created_at: number
}

type ResolvedRow = { readonly ord: number; readonly is_registered: boolean; readonly is_ruled: boolean } & (
  | TransactionRow
  | { readonly tx_id: null }
)

interface Item {
  readonly place: number
  readonly entry: NewTransaction
}

/** A row that vanished between the two statements is inserted again; more often than this is not a coincidence. */
const MAX_ROUNDS = 5

export async function insertTransactions(
  database: Database,
  batch: readonly NewTransaction[],
  spending?: SpendingWrite,
): Promise<readonly InsertOutcome[]> {
  const outcomes = new Map<number, InsertOutcome>()
  let open: readonly Item[] = batch.map((entry, place) => ({ place, entry }))
  for (let round = 0; open.length > 0; round++) {
    if (round === MAX_ROUNDS) throw new StoreUnavailable('an accepted transaction keeps appearing and vanishing')
    const rest = await insert(database, open, outcomes, spending)
    open = await resolve(database, rest, outcomes)
  }
  return batch.map((entry, place) => {
    const outcome = outcomes.get(place)
    if (outcome === undefined) throw new Error(`the insert of ${entry.id} has no outcome`)
    return outcome
  })
}

/** Returns what was not inserted. */
async function insert(
  database: Database,
  items: readonly Item[],
  outcomes: Map<number, InsertOutcome>,
  spending: SpendingWrite | undefined,
): Promise<readonly Item[]> {
  const createdAt = await insertApart(database, items, spending)
  const rest: Item[] = []
  for (const item of items) {
    const at = createdAt.get(item.entry.id)
    // A second item with the same id in one batch is a repeat of the first.
    createdAt.delete(item.entry.id)
    if (at === undefined) rest.push(item)
    else outcomes.set(item.place, { type: 'inserted', transaction: toQueued(item.entry, at) })
  }
  return rest
}

/** One statement, or halves of it when the database refuses what one item contains. */
async function insertApart(
  database: Database,
  items: readonly Item[],
  spending: SpendingWrite | undefined,
): Promise<Map<string, number>> {
  try {
    const rows = await database.query<InsertedRow>(spending === undefined ? INSERT : INSERT_RULED, [
      toJson(items.map(({ place, entry }) => toAcceptedRow(entry, place))),
      [...new Set(items.map(({ entry }) => lockOf(entry.intent.lane)))],
      ...(spending === undefined ? [] : toSpendingValues(spending)),
    ])
    return new Map(rows.map((row) => [row.tx_id, row.created_at]))
  } catch (error) {
    if (!isRefusal(error)) throw error
    if (items.length === 1) {
      // The API accepts nothing that a column cannot hold, so this is our bug.
      throw new Error(`the database refused transaction ${items[0]?.entry.id}: ${describeRefusal(error)}`, {
        cause: error,
      })
    }
    const half = Math.ceil(items.length / 2)
    const halves = await Promise.allSettled([
      insertApart(database, items.slice(0, half), spending),
      insertApart(database, items.slice(half), spending),
    ])
    return mergeHalves(halves)
  }
}

function mergeHalves(halves: readonly PromiseSettledResult<Map<string, number>>[]): Map<string, number> {
  const merged = new Map<string, number>()
  for (const half of halves) {
    if (half.status === 'rejected') throw half.reason
    for (const [id, at] of half.value) merged.set(id, at)
  }
  return merged
}

/** Resolves the others; returns those that have vanished again. */
async function resolve(
  database: Database,
  items: readonly Item[],
  outcomes: Map<number, InsertOutcome>,
): Promise<readonly Item[]> {
  if (items.length === 0) return []
  const keys = items.map(({ place, entry }) => ({
    ord: place,
    tx_id: entry.id,
    chain_id: entry.intent.lane.chainId,
    signer: toBytes(entry.intent.lane.signer),
    request_id: entry.intent.requestId,
    tenant: toText(entry.tenant ?? ''),
    subjects: bindingSubjects(entry),
    judged_by: entry.judgedBy ?? [],
  }))
  const rows = await database.query<ResolvedRow>(RESOLVE, [toJson(keys)])
  const found = new Map(rows.map((row) => [row.ord, row]))
  return items.filter(({ place, entry }) => {
    const row = found.get(place)
    if (row?.is_registered === false) outcomes.set(place, { type: 'unknown_signer' })
    else if (row !== undefined && row.tx_id !== null) outcomes.set(place, compare(entry, readTransaction(row)))
    else if (row?.is_ruled === true) outcomes.set(place, { type: 'not_judged' })
    return !outcomes.has(place)
  })
}

function compare(entry: NewTransaction, earlier: Transaction): InsertOutcome {
  return earlier.intent.requestDigest === entry.intent.requestDigest
    ? { type: 'existing', transaction: earlier }
    : { type: 'conflict', transactionId: earlier.id }
}

/** A transaction as `ACCEPTED_FIELDS` has it. */
export function toAcceptedRow(entry: NewTransaction, place: number) {
  const { id, intent, by, tenant = '', keyId, approval, judgedBy } = entry
  return {
    ord: place,
    tx_id: id,
    chain_id: intent.lane.chainId,
    signer: toBytes(intent.lane.signer),
    request_id: intent.requestId,
    request_digest: toBytes(intent.requestDigest),
    to_address: toBytes(intent.to),
    data: toBytes(intent.data),
    value: toStored(intent.value),
    gas_limit: toStored(intent.gasLimit),
    fees: toStored(intent.fees),
    speed: intent.speed,
    priority: intent.priority,
    valid_until: toTime(intent.validUntil),
    finality: intent.finality,
    simulate: intent.simulate,
    simulated: intent.simulated,
    metadata: intent.metadata,
    max_fee: toStored(intent.maxFeeWei),
    access_list: intent.accessList ?? null,
    exact_nonce: intent.exactNonce ?? null,
    detail: acceptedNote(by).detail,
    tenant: toText(tenant),
    key_id: keyId ?? null,
    approval: approval ?? null,
    approve_by: toTime(approval?.expiresAt ?? null),
    subjects: bindingSubjects(entry),
    judged_by: judgedBy ?? [],
  }
}
