/** An operator's reset of a cursor, as the API shows it. */
import { z } from 'zod'
import { RESET_STATES } from '../../../core/lane/nonce-reset.ts'
import { resourceSchemas } from '../api-schemas.ts'
import { address } from '../values/address.ts'
import { instant } from '../values/instant.ts'

export const resetResource = z.object({
  id: z.uuid(),
  chainId: z.int(),
  address,
  state: z.enum(RESET_STATES),
  actor: z.string(),
  reason: z.string(),
  fromNonce: z.int().nullable().meta({ description: 'The cursor before; null where there was none.' }),
  toNonce: z.int().nullable().meta({ description: "The cursor after: the chain's count." }),
  refusal: z.string().nullable().meta({ description: 'What stood in the way.' }),
  cancelsInFlight: z.boolean().meta({ description: 'Everything in flight is cancelled before the cursor moves.' }),
  progress: z
    .object({
      total: z.int().meta({ description: 'Transactions that the order is about.' }),
      cancelled: z.int(),
      endedOtherwise: z.int().meta({ description: 'Mined before their cancel was, for instance.' }),
      left: z.int(),
    })
    .nullable()
    .meta({ description: 'Null for a plain reset, and until the owner of the lane has begun.' }),
  requestedAt: instant,
  answeredAt: instant.nullable(),
})
export type ResetResource = z.infer<typeof resetResource>
resourceSchemas.add(resetResource, { id: 'NonceReset' })
