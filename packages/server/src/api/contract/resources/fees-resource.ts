/** What a chain asks at the moment, and what Drover would offer. */
import { z } from 'zod'
import { resourceSchemas } from '../api-schemas.ts'
import { address } from '../values/address.ts'
import { amount } from '../values/amount.ts'

const offer = z.object({
  maxFeePerGas: amount
    .nullable()
    .meta({ description: 'Null on a chain without base fees; there, gasPrice is offered.' }),
  maxPriorityFeePerGas: amount,
})

export const feesResource = z.object({
  chainId: z.int(),
  nextBaseFeePerGas: amount
    .nullable()
    .meta({ description: 'Of the block to come; null on a chain without base fees.' }),
  gasPrice: amount.meta({ description: 'For transactions of the legacy kind.' }),
  speeds: z
    .object({ slow: offer, standard: offer, fast: offer })
    .meta({ description: 'What is offered for each `speed`, before any cap; tips are medians of recent blocks.' }),
  saidBy: z.array(z.string()).meta({
    description: 'Hosts of the RPC nodes whose answers this is made of; empty where the price is fixed by `gasPrice`.',
  }),
  maxTxFee: amount.nullable().meta({
    description: 'The most that one transaction on this chain may cost in fees (setting `maxTxFee`); null: `none`.',
  }),
  caps: z.array(z.object({ address, maxFeePerGas: amount.nullable(), maxTxFee: amount.nullable() })).meta({
    description: 'Signers on this chain whose policy has a lower limit of its own: nothing above it is signed.',
  }),
})
export type FeesResource = z.infer<typeof feesResource>
resourceSchemas.add(feesResource, { id: 'Fees' })
