/** A key as the API shows it. */
import type { ApiKey } from '../../core/access/api-key.ts'
import type { ApiKeyResource } from '../contract/resources/api-key-resource.ts'
import { checksumAddress } from '../contract/values/address.ts'
import { presentInstant, presentOptionalInstant } from '../contract/values/instant.ts'

export function presentApiKey(key: ApiKey): ApiKeyResource {
  const { id, name, tenant, scopes, chains, rate, createdBy, revokedBy } = key
  return {
    id,
    name,
    tenant,
    scopes: [...scopes],
    rate,
    createdBy,
    revokedBy,
    signers: key.signers?.map(checksumAddress) ?? null,
    chains: chains === null ? null : [...chains],
    maxTxFee: key.maxTxFeeWei?.toString() ?? null,
    expiresAt: presentOptionalInstant(key.expiresAt),
    createdAt: presentInstant(key.createdAt),
    lastUsedAt: presentOptionalInstant(key.lastUsedAt),
    revokedAt: presentOptionalInstant(key.revokedAt),
  }
}
