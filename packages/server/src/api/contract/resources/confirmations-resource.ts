/** The blocks on top of a transaction, one by one. */
import { z } from 'zod'
import { resourceSchemas } from '../api-schemas.ts'
import { hash } from '../values/bytes.ts'
import { finalityRule } from '../values/finality.ts'

export const confirmationsResource = z.object({
  required: finalityRule,
  count: z.int().min(0).meta({ description: 'Confirmations so far, as this node sees the chain.' }),
  final: z.boolean().meta({ description: 'True once the finality rule is met. It never becomes false again.' }),
  newForks: z.int().min(0).meta({ description: 'How often a reorg replaced its blocks, and this list with them.' }),
  items: z.array(z.object({ blockNumber: z.int().min(0), blockHash: hash })).meta({
    description:
      'Lowest block first, as many as the finality rule asks for. Once final, the blocks that made it final.',
  }),
})
export type ConfirmationsResource = z.infer<typeof confirmationsResource>
resourceSchemas.add(confirmationsResource, { id: 'Confirmations' })
