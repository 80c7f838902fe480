/** A reservation as its row has it. The digest of the holder's proof is no part of what is read. */
import type { Inclusion } from '../core/finality.ts'
import type { Address, Hash } from '../core/hex.ts'
import type { Reservation, ReservationResult, ReservationState } from '../core/reservation.ts'
import { readBytes, readInclusion, type Stored } from './stored-json.ts'

export const RESERVATION_COLUMNS = `
  r.reservation_id, r.chain_id, r.signer, r.state, r.version, r.request_id, r.label, r.ttl_ms, r.nonce, r.locked_until,
  to_json(r.hashes) as hashes, r.inclusion, r.result, r.created_at, r.reserved_at, r.used_at, r.mined_at, r.final_at`

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
}

export function readReservation(row: ReservationRow): Reservation {
  return {
    id: row.reservation_id,
    lane: { chainId: row.chain_id, signer: row.signer },
    state: row.state,
    version: row.version,
    requestId: row.request_id,
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
    finalAt: row.final_at,
  }
}
