/** Whether the bytes of a lane may go only to its own send endpoints. */
import type { Address } from '../../../core/hex.ts'
import type { Lane } from '../../../core/lane/lane.ts'
import type { HistoryNote } from '../../../core/transaction/tx-event.ts'
import type { Database } from '../database.ts'
import { toBytes, toJson, toStored } from '../json-text.ts'
import { CHANNEL, EVENTS_APPENDED, NODES_CHANGED } from '../notice-payload.ts'

/** Waits for no lane write in progress: only a node that takes the lane later has to see it. */
const SET = {
  name: 'set_sends_privately',
  text: `
with locked as materialized (
  select w.chain_id, w.signer
    from (select distinct chain_id, signer from json_to_recordset($1::json) as w(chain_id bigint, signer bytea)
           order by chain_id, signer) w
   cross join lateral (
     select from signer_lease l
      where l.chain_id = w.chain_id and l.signer = w.signer and l.sends_privately <> $2
        for no key update) l
), changed as (
  update signer_lease l set sends_privately = $2
    from locked k
   where l.chain_id = k.chain_id and l.signer = k.signer
  returning l.chain_id, l.signer
), head as (
  update event_head set last_id = last_id + (select count(*) from changed) where exists (select from changed)
  returning last_id - (select count(*) from changed) as base, clock_timestamp() as at
), appended as (
  insert into tx_event (event_id, chain_id, signer, type, cause, detail, at, last_at)
  select h.base + row_number() over (order by c.chain_id, c.signer), c.chain_id, c.signer, $3, $4, $5::jsonb, h.at, h.at
    from changed c cross join head h
  returning 1
), told as materialized (
  select pg_notify('${CHANNEL}', '${NODES_CHANGED}'), pg_notify('${CHANNEL}', '${EVENTS_APPENDED}')
   where exists (select from changed)
)
select c.chain_id, c.signer, (select count(*) from appended) + (select count(*) from told) as told
  from changed c order by c.chain_id, c.signer`,
} as const

interface Row {
  readonly chain_id: number
  readonly signer: Address
}

export async function setSendsPrivately(
  database: Database,
  lanes: readonly Lane[],
  sendsPrivately: boolean,
  note: HistoryNote,
): Promise<readonly Lane[]> {
  if (lanes.length === 0) return []
  const wanted = lanes.map(({ chainId, signer }) => ({ chain_id: chainId, signer: toBytes(signer) }))
  const values = [toJson(wanted), sendsPrivately, note.type, note.cause, toJson(toStored(note.detail))]
  const rows = await database.query<Row>(SET, values)
  return rows.map((row) => ({ chainId: row.chain_id, signer: row.signer }))
}
