/** Stores what the chain said about conditions of fires: one that is met waits on, any other is skipped. */
import type { ConditionResult, TimerLease, TimerWriteResult } from '../../../ports/timer-store.ts'
import type { Database } from '../database.ts'
import { toBytes, toJson, toStored } from '../json-text.ts'
import { HELD } from './timer-lease-statements.ts'

const SAVE = {
  name: 'save_fire_conditions',
  text: `
with ${HELD}, saved as (
  update mailbox_entry e
     set condition = r.condition, skip_reason = r.skip_reason,
         state = case when r.skip_reason is null then e.state else 'SKIPPED' end
    from json_to_recordset($4::json) as r(deliver_id bytea, block_hash bytea, condition jsonb, skip_reason text)
   where e.chain_id = $1 and e.deliver_id = r.deliver_id and e.block_hash = r.block_hash and e.state = 'OBSERVED'
     and exists (select from held)
  returning 1
)
select exists (select from held) as held, (select count(*) from saved) as saved`,
} as const

export async function saveConditions(
  database: Database,
  { chainId, nodeId, fence }: TimerLease,
  results: readonly ConditionResult[],
): Promise<TimerWriteResult> {
  const rows = results.map(({ deliverId, blockHash, condition, skipReason }) => ({
    deliver_id: toBytes(deliverId),
    block_hash: toBytes(blockHash),
    condition: toStored(condition),
    skip_reason: skipReason,
  }))
  const [row] = await database.query<{ readonly held: boolean }>(SAVE, [chainId, nodeId, fence, toJson(rows)])
  return { type: row?.held === true ? 'written' : 'fenced' }
}
