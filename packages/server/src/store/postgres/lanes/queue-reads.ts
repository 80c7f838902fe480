/**
 * The heads of the queues of many lanes in one statement. Lanes that wake in the same turn of the event loop, because
 * their writes were stored together or a block arrived, are read together, so a hundred lanes cost as much as one.
 */
import type { Lane } from '../../../core/lane/lane.ts'
import { PAUSED_ALONE } from '../../../core/transaction/deferral.ts'
import type { Queued } from '../../../core/transaction/transaction.ts'
import type { QueueOptions } from '../../../ports/lane-queue.ts'
import type { Database } from '../database.ts'
import { toBytes } from '../json-text.ts'
import { createReadTogether } from '../read-together.ts'
import { readTransaction, TRANSACTION_COLUMNS, type TransactionRow } from '../transactions/transaction-row.ts'
import { inLine } from './in-line.ts'

const QUEUES = {
  name: 'read_queue',
  text: `
select k.ord, q.*
  from json_to_recordset($1::json) as k(
    ord int, chain_id bigint, signer bytea, most int, passes_unfunded boolean, passes_paused boolean)
 cross join lateral (
   select ${TRANSACTION_COLUMNS}, t.queue_position,
          exists (select from spending_account a
                   where a.subject in ('signer:0x' || encode(t.signer, 'hex'), 'key:' || t.key_id)) as has_rules
     from managed_tx t
    where t.chain_id = k.chain_id and t.signer = k.signer and ${inLine('t')}
      and not (coalesce(t.retry_at > clock_timestamp(), false)
               and ((k.passes_unfunded and t.sub_state = 'waiting_for_funds')
                    or (k.passes_paused and coalesce(t.error->>'code' = any ($2), false))))
    order by t.priority desc, t.queue_position limit k.most) q
 order by k.ord, q.priority desc, q.queue_position`,
} as const

type QueueRow = TransactionRow & { readonly ord: number; readonly has_rules: boolean }

interface Asked {
  readonly lane: Lane
  readonly limit: number
  readonly options: QueueOptions
}

export type ReadQueue = (lane: Lane, limit: number, options?: QueueOptions) => Promise<readonly Queued[]>

export function createQueueReads(database: Database): ReadQueue {
  const read = createReadTogether<Asked, readonly Queued[]>(async (asked) => {
    const queues: Queued[][] = asked.map(() => [])
    const rows = await database.query<QueueRow>(QUEUES, [JSON.stringify(asked.map(toKey)), PAUSED_ALONE])
    for (const row of rows) {
      const queued = readQueued(row)
      queues[row.ord]?.push(row.has_rules ? { ...queued, hasRules: true } : queued)
    }
    return queues
  })
  return (lane, limit, options = {}) => read({ lane, limit, options })
}

function toKey({ lane, limit, options }: Asked, ord: number) {
  return {
    ord,
    chain_id: lane.chainId,
    signer: toBytes(lane.signer),
    most: limit,
    passes_unfunded: options.passOverUnfunded ?? false,
    passes_paused: options.passOverPaused ?? false,
  }
}

export function readQueued(row: TransactionRow): Queued {
  const tx = readTransaction(row)
  if (tx.state !== 'QUEUED') throw new Error(`transaction ${tx.id} is ${tx.state} in the queue`)
  return tx
}
