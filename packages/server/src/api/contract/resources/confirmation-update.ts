/** Growing confirmations of a transaction, as the event stream tells of them between the events. */
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
  blockNumber: blockNumber.meta({ description: 'The block that holds the transaction.' }),
  blockHash: hash,
  count: z.int().min(0).meta({ description: 'Blocks on top of it, these included.' }),
  required: finalityRule,
  newFork: z
    .boolean()
    .meta({ description: 'True: `confirmations` replaces what was told before; false: it is added.' }),
  confirmations: z.array(z.object({ blockNumber, blockHash: hash })).meta({ description: 'Lowest first.' }),
})
export type ConfirmationUpdate = z.infer<typeof confirmationUpdate>
resourceSchemas.add(confirmationUpdate, { id: 'ConfirmationUpdate' })
