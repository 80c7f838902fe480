/** A caller as JSON. */
import type { Caller } from '../../core/access/caller.ts'
import type { CallerResource } from '../contract/resources/caller-resource.ts'
import { checksumAddress } from '../contract/values/address.ts'

export function presentCaller({ keyId, name, tenant, scopes, signers, chains }: Caller): CallerResource {
  return {
    keyId,
    name,
    tenant,
    scopes: [...scopes],
    signers: signers?.map(checksumAddress) ?? null,
    chains: chains === null ? null : [...chains],
  }
}
