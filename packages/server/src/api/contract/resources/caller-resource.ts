/** Who calls, and what the key of the caller allows. */
import { z } from 'zod'
import { SCOPES } from '../../../core/access/caller.ts'
import { resourceSchemas } from '../api-schemas.ts'
import { address } from '../values/address.ts'

export const callerResource = z.object({
  keyId: z.string().nullable().meta({ description: 'Null: the service has no keys yet, so none is needed.' }),
  name: z.string().meta({ description: 'Name of the key, or `local` if none is needed.' }),
  tenant: z.string().nullable(),
  scopes: z.array(z.enum(SCOPES)),
  signers: z.array(address).nullable().meta({ description: 'Null: all.' }),
  chains: z.array(z.int()).nullable().meta({ description: 'Null: all.' }),
})
export type CallerResource = z.infer<typeof callerResource>
resourceSchemas.add(callerResource, { id: 'Caller' })
