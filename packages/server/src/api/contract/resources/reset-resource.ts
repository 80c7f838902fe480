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
  fromNonce: z.int().nullable().meta({ description: 'Next nonce before the reset. Null if there was none.' }),
  toNonce: z.int().nullable().meta({ description: "Next nonce after the reset: the chain's transaction count." }),
  refusal: z.string().nullable().meta({ description: 'Why the reset was refused.' }),
  cancelsInFlight: z.boolean().meta({ description: 'Everything in flight is cancelled before the nonce is reset.' }),
  progress: z
    .object({
      total: z.int().meta({ description: 'Transactions to cancel.' }),
      cancelled: z.int(),
      endedOtherwise: z.int().meta({ description: 'Ended in another way, for example mined before the cancellation.' }),
      left: z.int(),
    })
    .nullable()
    .meta({ description: 'Null for a plain reset, and until the node that runs the signer has started.' }),
  requestedAt: instant,
  answeredAt: instant.nullable(),
})
export type ResetResource = z.infer<typeof resetResource>
resourceSchemas.add(resetResource, { id: 'NonceReset' })
