/** `POST /v1/transactions/batch`: many requests in one, and a result for each. */
import { z } from 'zod'
import { requestSchemas, resourceSchemas } from '../api-schemas.ts'
import { transactionResource } from '../resources/transaction-resource.ts'
import { problem } from '../values/problem.ts'
import { requestIdInput } from './transaction-request.ts'

const MAX_BATCH_ITEMS = 1_000
/** A full batch of typical requests fits easily. Of the largest requests, only a few dozen fit. */
export const MAX_BATCH_BYTES = 8 * 1024 * 1024
/** What `:` and the largest index add to a key. */
const INDEX_LENGTH = `:${MAX_BATCH_ITEMS - 1}`.length

/**
 * Each item is validated later, one by one, so one bad item does not fail the rest. The docs show the required schema.
 */
const item = z.unknown().meta({ $ref: '#/components/schemas/TransactionRequest' })

export const transactionBatchRequest = z.strictObject({
  transactions: z.array(item).min(1).max(MAX_BATCH_ITEMS).meta({ description: 'Stored in this order.' }),
})
requestSchemas.add(transactionBatchRequest, { id: 'TransactionBatchRequest' })

export const batchKeyInput = requestIdInput
  .max(200 - INDEX_LENGTH, { error: `must be at most ${200 - INDEX_LENGTH} characters long` })
  .meta({
    description: 'Items without a `requestId` get this key, a colon and their index as `requestId`.',
  })

const batchResult = z.union([
  z.object({
    status: z.literal([202, 200]).meta({ description: '200: the same request was already accepted.' }),
    transaction: transactionResource,
  }),
  z.object({ status: z.int().min(400).max(599), problem }),
])

export const transactionBatchResource = z.object({
  results: z.array(batchResult).meta({ description: 'One result per transaction, in the same order.' }),
})
export type TransactionBatchResource = z.infer<typeof transactionBatchResource>
resourceSchemas.add(transactionBatchResource, { id: 'TransactionBatch' })
