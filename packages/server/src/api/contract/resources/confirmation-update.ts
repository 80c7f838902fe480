/** Growing confirmations of a transaction, as the event stream sends them between events. */
import { z } from 'zod'
import { resourceSchemas } from '../api-schemas.ts'
import { address } from '../values/address.ts'
import { hash } from '../values/bytes.ts'
import { finalityRule } from '../values/finality.ts'

const blockNumber = z.int().min(0)

export const confirmationUpdate = z.object({
  transactionId: z.uuid(),
  chainId: z.int(),
  from: address,
  blockNumber: blockNumber.meta({ description: 'The block that includes the transaction.' }),
  blockHash: hash,
  count: z.int().min(0).meta({ description: 'Confirmations so far, including these.' }),
  required: finalityRule,
  newFork: z.boolean().meta({
    description: 'True: `confirmations` replaces what was sent before. False: add it to what was sent before.',
  }),
  confirmations: z.array(z.object({ blockNumber, blockHash: hash })).meta({ description: 'Lowest first.' }),
})
export type ConfirmationUpdate = z.infer<typeof confirmationUpdate>
resourceSchemas.add(confirmationUpdate, { id: 'ConfirmationUpdate' })
