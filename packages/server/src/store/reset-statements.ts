/** Resets of cursors: ordered by anyone who may, answered by the lane's owner, kept for good. */
import type { Address } from '../core/hex.ts'
import type { Lane } from '../core/lane.ts'
import type { NonceReset } from '../core/nonce-reset.ts'
import type { Database } from './database.ts'
import { toBytes } from './json-text.ts'
import { CHANNEL, laneNotice } from './notice-payload.ts'
import { isTxId } from './tx-id.ts'

export const RESET_COLUMNS = `
  r.reset_id, r.chain_id, r.signer, r.state, r.actor, r.reason, r.from_nonce, r.to_nonce, r.refusal, r.requested_at,
  r.answered_at`

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
}

const INSERT = {
  name: 'insert_reset',
  text: `
with inserted as (
  insert into nonce_reset (reset_id, chain_id, signer, actor, reason)
  select $1, s.chain_id, s.signer, $4, $5 from signer s where s.chain_id = $2 and s.signer = $3::bytea
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
  { id, lane, actor, reason }: Pick<NonceReset, 'id' | 'lane' | 'actor' | 'reason'>,
): Promise<boolean> {
  const values = [id, lane.chainId, toBytes(lane.signer), actor, reason, laneNotice('lane.asked', lane)]
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
    requestedAt: row.requested_at,
    answeredAt: row.answered_at,
  }
}
