/** The current gas prices of a chain, and what Drover would offer. */
import { z } from 'zod'
import { resourceSchemas } from '../api-schemas.ts'
import { address } from '../values/address.ts'
import { amount } from '../values/amount.ts'

const offer = z.object({
  maxFeePerGas: amount.nullable().meta({ description: 'Null on a chain without base fees, where `gasPrice` is used.' }),
  maxPriorityFeePerGas: amount,
})

export const feesResource = z.object({
  chainId: z.int(),
  nextBaseFeePerGas: amount
    .nullable()
    .meta({ description: 'Base fee of the next block. Null on a chain without base fees.' }),
  gasPrice: amount.meta({ description: 'For legacy transactions.' }),
  speeds: z
    .object({ slow: offer, standard: offer, fast: offer })
    .meta({ description: 'What Drover offers at each `speed`, before any limit. Tips are medians of recent blocks.' }),
  saidBy: z.array(z.string()).meta({
    description: 'Hosts of the RPC nodes that these prices come from. Empty if the setting `gasPrice` fixes the price.',
  }),
  maxTxFee: amount.nullable().meta({
    description: 'The most that one transaction on this chain may cost in fees (setting `maxTxFee`). Null: no limit.',
  }),
  caps: z.array(z.object({ address, maxFeePerGas: amount.nullable(), maxTxFee: amount.nullable() })).meta({
    description: 'Signers on this chain with a lower limit in their policy. Drover signs nothing above it.',
  }),
})
export type FeesResource = z.infer<typeof feesResource>
resourceSchemas.add(feesResource, { id: 'Fees' })
