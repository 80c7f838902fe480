/** Keys as they are shown: never with their secret, save for the one answer that makes one. */
import { z } from 'zod'
import { SCOPES } from '../../../core/access/caller.ts'
import { resourceSchemas } from '../api-schemas.ts'
import { address } from '../values/address.ts'
import { amount } from '../values/amount.ts'
import { instant } from '../values/instant.ts'

export const apiKeyResource = z.object({
  id: z.string().meta({ description: 'Public: the part between `drv_` and the secret.' }),
  name: z.string(),
  tenant: z.string().meta({ description: 'Whom it belongs to.' }),
  scopes: z.array(z.enum(SCOPES)),
  signers: z.array(address).nullable().meta({ description: 'Null: all.' }),
  chains: z.array(z.int()).nullable().meta({ description: 'Null: all.' }),
  rate: z.object({ perSecond: z.int(), burst: z.int() }).nullable(),
  maxTxFee: amount.nullable().meta({ description: 'Wei; the most that a transaction it sends may cost in fees.' }),
  expiresAt: instant.nullable(),
  createdAt: instant,
  createdBy: z.string(),
  lastUsedAt: instant.nullable().meta({ description: 'To the minute or so.' }),
  revokedAt: instant.nullable(),
  revokedBy: z.string().nullable(),
})
export type ApiKeyResource = z.infer<typeof apiKeyResource>
resourceSchemas.add(apiKeyResource, { id: 'ApiKey' })

export const apiKeyList = z.object({ items: z.array(apiKeyResource) })
resourceSchemas.add(apiKeyList, { id: 'ApiKeyList' })

export const newApiKeyResource = apiKeyResource.extend({
  token: z.string().meta({ description: 'The key itself, told only here: keep it now.' }),
})
resourceSchemas.add(newApiKeyResource, { id: 'NewApiKey' })

export const auditResource = z.object({
  id: z.int(),
  at: instant,
  keyId: z.string().nullable().meta({ description: 'Null: no key was needed.' }),
  actor: z.string().meta({ description: 'Name of the key.' }),
  node: z.string().nullable(),
  operation: z.string().meta({ description: 'As in this document, e.g. cancelTransaction.' }),
  target: z.string().meta({ description: 'The path that it was done to.' }),
  hash: z.string().meta({ description: 'SHA-256 over this entry and the hash of the one before it.' }),
  result: z.string().meta({ description: '`done`, or the code of the error that it was refused with.' }),
})
export type AuditResource = z.infer<typeof auditResource>
resourceSchemas.add(auditResource, { id: 'AuditEntry' })

export const auditCheckResource = z.object({
  brokenAt: z.int().nullable().meta({
    description: 'The first entry that was changed, or after which one is missing; null: none of those checked.',
  }),
  last: z
    .object({ id: z.int(), hash: z.string() })
    .meta({ description: 'The last one that was checked. Keep it elsewhere: it proves all before it.' }),
})
resourceSchemas.add(auditCheckResource, { id: 'AuditCheck' })

export const auditPage = z.object({
  items: z.array(auditResource),
  next: z.int().nullable().meta({ description: 'Pass as `before` to go on; null at the end.' }),
})
resourceSchemas.add(auditPage, { id: 'AuditPage' })
