/** Rows of keys and of the audit, as the rest of the program knows them. */
import type { ApiKey } from '../../../core/access/api-key.ts'
import type { Scope } from '../../../core/access/caller.ts'
import type { Address, Hex } from '../../../core/hex.ts'
import type { AuditEntry } from '../../../ports/access-store.ts'

/** Arrays of bytes and of large numbers come as JSON: the driver has no readers for them. */
export const KEY_COLUMNS = `
  k.key_id, k.name, k.tenant, to_json(k.scopes) as scopes,
  (select json_agg('0x' || encode(s, 'hex')) from unnest(k.signers) s) as signers, to_json(k.chains) as chains,
  k.rate_per_second, k.rate_burst, k.max_tx_fee, k.expires_at, k.created_at, k.created_by, k.last_used_at, k.revoked_at, k.revoked_by`

export interface KeyRow {
  readonly key_id: string
  readonly name: string
  readonly tenant: string
  readonly scopes: readonly Scope[]
  readonly signers: readonly Address[] | null
  readonly chains: readonly number[] | null
  readonly rate_per_second: number | null
  readonly rate_burst: number | null
  readonly max_tx_fee: bigint | null
  readonly expires_at: number | null
  readonly created_at: number
  readonly created_by: string
  readonly last_used_at: number | null
  readonly revoked_at: number | null
  readonly revoked_by: string | null
}

export function readKey(row: KeyRow): ApiKey {
  const { name, tenant, scopes, signers, chains, rate_per_second: perSecond, rate_burst: burst } = row
  return {
    id: row.key_id,
    name,
    tenant,
    scopes,
    signers,
    chains,
    rate: perSecond === null || burst === null ? null : { perSecond, burst },
    maxTxFeeWei: row.max_tx_fee,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
    createdBy: row.created_by,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
    revokedBy: row.revoked_by,
  }
}

export interface AuditRow {
  readonly audit_id: number
  readonly at: number
  readonly key_id: string | null
  readonly actor: string
  readonly node_id: string | null
  readonly operation: string
  readonly target: string
  readonly result: string
  readonly hash: Hex
}

export function readAudit(row: AuditRow): AuditEntry {
  const { at, actor, operation, target, result } = row
  const hash = row.hash.slice(2)
  return { id: row.audit_id, at, keyId: row.key_id, actor, nodeId: row.node_id, operation, target, result, hash }
}
