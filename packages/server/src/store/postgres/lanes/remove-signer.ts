/** Removes an account from all chains, if nothing of it is open. Its history stays. */
import type { Address } from '../../../core/hex.ts'
import type { HistoryNote } from '../../../core/transaction/tx-event.ts'
import type { RemoveOutcome } from '../../../ports/store.ts'
import type { Database } from '../database.ts'
import { toBytes, toJson, toStored } from '../json-text.ts'
import { CHANNEL, EVENTS_APPENDED, NODES_CHANGED } from '../notice-payload.ts'

/** Locks the leases, so a lane write in progress ends first and none comes between. */
const REMOVE = {
  name: 'remove_signer',
  text: `
with lane as materialized (
  select l.chain_id, l.signer from signer_lease l
    join signer s on s.chain_id = l.chain_id and s.signer = l.signer
   where s.signer = $1::bytea and s.removed_at is null
   order by l.chain_id for update of l
), busy as materialized (
  select (select count(*) from lane l join managed_tx t on t.chain_id = l.chain_id and t.signer = l.signer
           where t.queue_position is not null or (t.nonce is not null and t.final_at is null))
       + (select count(*) from lane l join nonce_reservation r on r.chain_id = l.chain_id and r.signer = l.signer
           where r.final_at is null)
       + (select count(*) from lane l join timer t on t.chain_id = l.chain_id and t.signer = l.signer
           where t.state in ('ACTIVE', 'PAUSED')) as open
), removed as (
  update signer s set removed_at = date_trunc('milliseconds', clock_timestamp())
    from lane l
   where s.chain_id = l.chain_id and s.signer = l.signer and (select open from busy) = 0
  returning s.chain_id
), head as (
  update event_head set last_id = last_id + (select count(*) from removed) where exists (select from removed)
  returning last_id - (select count(*) from removed) as base, clock_timestamp() as at
), appended as (
  insert into tx_event (event_id, chain_id, signer, type, cause, detail, at, last_at)
  select h.base + row_number() over (order by r.chain_id), r.chain_id, $1::bytea, $2, $3, $4::jsonb, h.at, h.at
    from removed r cross join head h
  returning 1
), told as materialized (
  select pg_notify('${CHANNEL}', '${NODES_CHANGED}'), pg_notify('${CHANNEL}', '${EVENTS_APPENDED}')
   where exists (select from removed)
)
select (select count(*) from lane) as lanes, (select open from busy) as open,
       array(select chain_id::text from removed order by chain_id) as removed,
       (select count(*) from appended) + (select count(*) from told) as told`,
} as const

interface Row {
  readonly lanes: number
  readonly open: number
  readonly removed: readonly string[]
}

export async function removeSigner(database: Database, signer: Address, note: HistoryNote): Promise<RemoveOutcome> {
  const values = [toBytes(signer), note.type, note.cause, toJson(toStored(note.detail))]
  const [row] = await database.query<Row>(REMOVE, values)
  if (row === undefined || row.lanes === 0) return { type: 'unknown' }
  if (row.open > 0) return { type: 'busy', open: row.open }
  return { type: 'removed', lanes: row.removed.map((chainId) => ({ chainId: Number(chainId), signer })) }
}
