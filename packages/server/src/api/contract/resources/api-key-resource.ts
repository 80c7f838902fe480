/** Keys as the API shows them: never with the secret, except in the response that creates a key. */
import { z } from 'zod'
import { SCOPES } from '../../../core/access/caller.ts'
import { resourceSchemas } from '../api-schemas.ts'
import { address } from '../values/address.ts'
import { amount } from '../values/amount.ts'
import { instant } from '../values/instant.ts'

export const apiKeyResource = z.object({
  id: z.string().meta({ description: 'Public id: the part between `drv_` and the secret.' }),
  name: z.string(),
  tenant: z.string().meta({ description: 'The tenant that the key belongs to.' }),
  scopes: z.array(z.enum(SCOPES)),
  signers: z.array(address).nullable().meta({ description: 'Null: all.' }),
  chains: z.array(z.int()).nullable().meta({ description: 'Null: all.' }),
  rate: z.object({ perSecond: z.int(), burst: z.int() }).nullable(),
  maxTxFee: amount
    .nullable()
    .meta({ description: 'The most that a transaction sent with this key may cost in fees, in wei.' }),
  expiresAt: instant.nullable(),
  createdAt: instant,
  createdBy: z.string(),
  lastUsedAt: instant.nullable().meta({ description: 'Accurate to about a minute.' }),
  revokedAt: instant.nullable(),
  revokedBy: z.string().nullable(),
})
export type ApiKeyResource = z.infer<typeof apiKeyResource>
resourceSchemas.add(apiKeyResource, { id: 'ApiKey' })

export const apiKeyList = z.object({ items: z.array(apiKeyResource) })
resourceSchemas.add(apiKeyList, { id: 'ApiKeyList' })

export const newApiKeyResource = apiKeyResource.extend({
  token: z.string().meta({ description: 'The API key itself. It is shown only once, so store it now.' }),
})
resourceSchemas.add(newApiKeyResource, { id: 'NewApiKey' })

export const auditResource = z.object({
  id: z.int(),
  at: instant,
  keyId: z.string().nullable().meta({ description: 'Null: no key was required.' }),
  actor: z.string().meta({ description: 'Name of the key.' }),
  node: z.string().nullable(),
  operation: z.string().meta({ description: 'Operation id from this document, e.g. cancelTransaction.' }),
  target: z.string().meta({ description: 'The path of the request.' }),
  hash: z.string().meta({ description: 'SHA-256 of this entry and the hash of the previous entry.' }),
  result: z.string().meta({ description: '`done`, or the error code.' }),
})
export type AuditResource = z.infer<typeof auditResource>
resourceSchemas.add(auditResource, { id: 'AuditEntry' })

export const auditCheckResource = z.object({
  brokenAt: z.int().nullable().meta({
    description:
      'The first entry that was changed or is followed by a missing entry. Null: all checked entries are intact.',
  }),
  last: z
    .object({ id: z.int(), hash: z.string() })
    .meta({ description: 'The last entry that was checked. Store it elsewhere: it proves all entries before it.' }),
  deleted: z.object({ id: z.int(), hash: z.string() }).nullable().meta({
    description:
      'The last entry that was deleted because of its age. The check begins after it, with its hash. Null: none was deleted.',
  }),
})
resourceSchemas.add(auditCheckResource, { id: 'AuditCheck' })

export const auditPage = z.object({
  items: z.array(auditResource),
  next: z.int().nullable().meta({ description: 'Pass it as `before` to get the next page. Null on the last page.' }),
})
resourceSchemas.add(auditPage, { id: 'AuditPage' })
