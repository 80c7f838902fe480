/** What a block says about a transaction. */
import { z } from 'zod'
import { resourceSchemas } from '../api-schemas.ts'
import { address } from '../values/address.ts'
import { amount } from '../values/amount.ts'
import { bytes, hash } from '../values/bytes.ts'

const blockNumber = z.int().min(0)

export const receiptResource = z.object({
  transactionHash: hash,
  transactionIndex: z.int().min(0),
  blockNumber,
  blockHash: hash,
  status: z.enum(['success', 'reverted']),
  gasUsed: amount,
  effectiveGasPrice: amount,
  fee: amount.meta({
    description: 'Gas used times the effective price, in wei. Does not include the L1 data fee of a rollup.',
  }),
  contractAddress: address.nullable(),
})
export type ReceiptResource = z.infer<typeof receiptResource>

const logResource = z.object({
  address,
  topics: z.array(hash),
  data: bytes,
  logIndex: z.int().min(0).meta({ description: 'Position in the block.' }),
})

export const receiptWithLogs = receiptResource.extend({
  logs: z
    .array(logResource)
    .optional()
    .meta({ description: 'Only with `include=logs`: at most 1,000 logs, in block order.' }),
  logCount: z.int().min(0).optional().meta({ description: 'Total number of logs. Only with `include=logs`.' }),
})
export type ReceiptWithLogs = z.infer<typeof receiptWithLogs>
resourceSchemas.add(receiptWithLogs, { id: 'Receipt' })
