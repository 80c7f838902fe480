/** Cursor resets: requested by any authorised caller, answered by the lane's owner, kept forever. */
import type { Address } from '../../../core/hex.ts'
import type { Lane } from '../../../core/lane/lane.ts'
import { type NonceReset, toProgress } from '../../../core/lane/nonce-reset.ts'
import type { NewReset } from '../../../ports/lane-requests.ts'
import { isTxId } from '../../rules/tx-id.ts'
import type { Database } from '../database.ts'
import { toBytes } from '../json-text.ts'
import { CHANNEL, laneNotice } from '../notice-payload.ts'

export const RESET_COLUMNS = `
  r.reset_id, r.chain_id, r.signer, r.state, r.actor, r.reason, r.from_nonce, r.to_nonce, r.refusal, r.requested_at,
  r.answered_at, r.cancels_first, r.tx_ids,
  (select json_build_object(
            'cancelled', count(*) filter (where t.state = 'CANCELLED'),
            'left', count(*) filter (where t.final_at is null))
     from managed_tx t where t.tx_id = any(r.tx_ids)) as progress`

export interface ResetRow {
  readonly reset_id: string
  readonly chain_id: number
  readonly signer: Address
  readonly state: NonceReset['state']
  readonly actor: string
  readonly reason: string
  readonly from_nonce: number | null
  readonly to_nonce: number | null
  readonly refusal: string | null
  readonly requested_at: number
  readonly answered_at: number | null
  readonly cancels_first: boolean
  readonly tx_ids: readonly string[] | null
  readonly progress: { readonly cancelled: number; readonly left: number }
}

const INSERT = {
  name: 'insert_reset',
  text: `
with inserted as (
  insert into nonce_reset (reset_id, chain_id, signer, actor, reason, cancels_first)
  select $1, s.chain_id, s.signer, $4, $5, $7 from signer s where s.chain_id = $2 and s.signer = $3::bytea
  returning 1
)
select pg_notify('${CHANNEL}', $6) from inserted`,
} as const

const FIND = { name: 'find_reset', text: `select ${RESET_COLUMNS} from nonce_reset r where r.reset_id = $1` } as const

const LIST = {
  name: 'list_resets',
  text: `
select ${RESET_COLUMNS} from nonce_reset r
 where r.chain_id = $1 and r.signer = $2::bytea order by r.requested_at desc limit $3`,
} as const

export async function insertReset(
  database: Database,
  { id, lane, actor, reason, cancelsFirst = false }: NewReset,
): Promise<boolean> {
  const values = [id, lane.chainId, toBytes(lane.signer), actor, reason, laneNotice('lane.asked', lane), cancelsFirst]
  return (await database.query(INSERT, values)).length > 0
}

export async function findReset(database: Database, id: string): Promise<NonceReset | null> {
  const [row] = isTxId(id) ? await database.query<ResetRow>(FIND, [id]) : []
  return row === undefined ? null : readReset(row)
}

export async function listResets(database: Database, lane: Lane, limit: number): Promise<readonly NonceReset[]> {
  return (await database.query<ResetRow>(LIST, [lane.chainId, toBytes(lane.signer), limit])).map(readReset)
}

export function readReset(row: ResetRow): NonceReset {
  return {
    id: row.reset_id,
    lane: { chainId: row.chain_id, signer: row.signer },
    state: row.state,
    actor: row.actor,
    reason: row.reason,
    fromNonce: row.from_nonce,
    toNonce: row.to_nonce,
    refusal: row.refusal,
    cancelsFirst: row.cancels_first,
    txIds: row.tx_ids,
    progress: row.tx_ids === null ? null : toProgress(row.tx_ids.length, row.progress),
    requestedAt: row.requested_at,
    answeredAt: row.answered_at,
  }
}
