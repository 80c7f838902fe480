/** The blocks on top of a transaction, one by one. */
import { z } from 'zod'
import { resourceSchemas } from '../api-schemas.ts'
import { hash } from '../values/bytes.ts'
import { finalityRule } from '../values/finality.ts'

export const confirmationsResource = z.object({
  required: finalityRule,
  count: z.int().min(0).meta({ description: 'Blocks on top of the inclusion, as this node sees the chain now.' }),
  final: z.boolean().meta({ description: 'The rule is met, and that is stored for good.' }),
  newForks: z
    .int()
    .min(0)
    .meta({ description: 'How often the blocks under it were replaced, and this list with them.' }),
  items: z.array(z.object({ blockNumber: z.int().min(0), blockHash: hash })).meta({
    description: 'Lowest first, as many as the rule asks for. Once final, those that made it so.',
  }),
})
export type ConfirmationsResource = z.infer<typeof confirmationsResource>
resourceSchemas.add(confirmationsResource, { id: 'Confirmations' })
