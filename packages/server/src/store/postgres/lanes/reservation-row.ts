/** A reservation as its row has it. The digest of the holder's proof is never read. */
import type { Inclusion } from '../../../core/chain/finality.ts'
import type { Address, Hash } from '../../../core/hex.ts'
import type {
  Reservation,
  ReservationAlarm,
  ReservationResult,
  ReservationState,
} from '../../../core/lane/reservation.ts'
import { readBytes, readInclusion, type Stored } from '../stored-json.ts'

export const RESERVATION_COLUMNS = `
  r.reservation_id, r.chain_id, r.signer, r.state, r.version, r.request_id, r.label, r.ttl_ms, r.nonce, r.locked_until,
  to_json(r.hashes) as hashes, r.inclusion, r.result, r.created_at, r.reserved_at, r.used_at, r.mined_at, r.final_at,
  r.tenant, r.key_id, r.holder, r.alarm, r.alarm_at, r.fill_ordered_at, r.yielded_at`

export interface ReservationRow {
  readonly reservation_id: string
  readonly chain_id: number
  readonly signer: Address
  readonly state: ReservationState
  readonly version: number
  readonly request_id: string | null
  readonly label: string | null
  readonly ttl_ms: number
  readonly nonce: number | null
  readonly locked_until: number
  readonly hashes: readonly string[]
  readonly inclusion: Stored<Inclusion> | null
  readonly result: ReservationResult | null
  readonly created_at: number
  readonly reserved_at: number | null
  readonly used_at: number | null
  readonly mined_at: number | null
  readonly final_at: number | null
  readonly tenant: string
  readonly key_id: string | null
  readonly holder: string | null
  readonly alarm: ReservationAlarm | null
  readonly alarm_at: number | null
  readonly fill_ordered_at: number | null
  readonly yielded_at: number | null
}

export function readReservation(row: ReservationRow): Reservation {
  return {
    id: row.reservation_id,
    lane: { chainId: row.chain_id, signer: row.signer },
    state: row.state,
    version: row.version,
    requestId: row.request_id,
    tenant: row.tenant,
    keyId: row.key_id,
    holder: row.holder,
    label: row.label,
    ttlMs: row.ttl_ms,
    nonce: row.nonce,
    lockedUntil: row.locked_until,
    hashes: row.hashes.map((hash): Hash => readBytes(hash)),
    inclusion: row.inclusion === null ? null : readInclusion(row.inclusion),
    result: row.result,
    createdAt: row.created_at,
    reservedAt: row.reserved_at,
    usedAt: row.used_at,
    minedAt: row.mined_at,
    alarm: row.alarm === null || row.alarm_at === null ? null : { cause: row.alarm, at: row.alarm_at },
    fillOrderedAt: row.fill_ordered_at,
    yieldedAt: row.yielded_at,
    finalAt: row.final_at,
  }
}
