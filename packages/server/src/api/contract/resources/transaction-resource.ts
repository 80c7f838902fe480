/** A transaction, its attempts and its history as the API shows them. */
import { z } from 'zod'
import { SPEEDS } from '../../../core/fees/fees.ts'
import { SUB_STATES, TX_STATES } from '../../../core/transaction/transaction.ts'
import { resourceSchemas } from '../api-schemas.ts'
import { address } from '../values/address.ts'
import { amount } from '../values/amount.ts'
import { bytes, hash } from '../values/bytes.ts'
import { finalityRule } from '../values/finality.ts'
import { instant } from '../values/instant.ts'
import { errorResource } from './error-resource.ts'
import { receiptResource } from './receipt-resource.ts'

const nonce = z.int().min(0)
const blockNumber = z.int().min(0)

const inclusion = z.object({ blockNumber, blockHash: hash })

const confirmations = z.object({
  count: z.int().min(0).meta({ description: 'Blocks on top of the inclusion, as this node sees the chain now.' }),
  required: finalityRule,
  newForks: z.int().min(0).meta({ description: 'How often the blocks under it were replaced.' }),
})

const fees = z.union([z.object({ maxFeePerGas: amount, maxPriorityFeePerGas: amount }), z.object({ gasPrice: amount })])
const wantedFees = z.union([
  z.object({ maxFeePerGas: amount.nullable(), maxPriorityFeePerGas: amount.nullable() }),
  z.object({ gasPrice: amount.nullable() }),
])

export const transactionResource = z.object({
  id: z.uuid(),
  chainId: z.int(),
  from: address,
  to: address.nullable(),
  data: bytes,
  value: amount,
  gasLimit: amount.nullable().meta({ description: 'Null until it is estimated.' }),
  fees: wantedFees
    .nullable()
    .meta({ description: 'The price that was asked for; null, the whole or a field: the market at `speed`.' }),
  speed: z.enum(SPEEDS),
  priority: z.int(),
  validUntil: instant.nullable(),
  nonce: nonce.nullable(),
  state: z.enum(TX_STATES),
  subState: z.enum(SUB_STATES),
  hash: hash.nullable().meta({ description: 'Of the attempt that is included, else of the newest.' }),
  hashes: z.array(hash).meta({ description: 'Of every attempt ever signed for it, oldest first.' }),
  attempts: z.int().min(0).meta({ description: 'How many byte strings were signed for it.' }),
  receipt: receiptResource.nullable(),
  inclusion: inclusion.nullable(),
  confirmations,
  error: errorResource.nullable(),
  simulated: z.boolean().meta({
    description:
      'The call was tried out before it was accepted. False where the request asked for no simulation, or no RPC node could run it in time; it is tried out again before it takes a nonce.',
  }),
  requestId: z.string().nullable(),
  metadata: z.record(z.string(), z.string()),
  createdAt: instant,
  suspended: z.boolean().meta({ description: 'An operator holds it back.' }),
  submitCount: z.int().min(0).meta({ description: 'How often its bytes were sent under the nonce that it has.' }),
  submittedAt: instant.nullable().meta({ description: 'When a node first took its bytes.' }),
  lastSubmitAt: instant.nullable().meta({ description: 'When its bytes were last sent.' }),
  nextResubmitAt: instant
    .nullable()
    .meta({ description: 'When its bytes are sent again, unless a block has it by then; null where they are not.' }),
  stuckAt: instant.nullable(),
  minedAt: instant.nullable(),
  finalAt: instant.nullable(),
  fence: z.int().nullable().meta({ description: 'Number of the lease under which the nonce was taken.' }),
  node: z.string().nullable().meta({ description: 'Node that took the nonce.' }),
})
export type TransactionResource = z.infer<typeof transactionResource>
resourceSchemas.add(transactionResource, { id: 'Transaction' })

export const transactionPage = z.object({
  items: z.array(transactionResource),
  next: z.string().nullable().meta({ description: 'Pass as `after` to go on; null at the end.' }),
})
resourceSchemas.add(transactionPage, { id: 'TransactionPage' })

export const attemptResource = z.object({
  hash,
  kind: z.enum(['original', 'bump', 'cancel', 'noop']),
  nonce,
  gasLimit: amount,
  fees,
  raw: bytes.meta({ description: 'The signed bytes, as broadcast.' }),
  createdAt: instant,
})
export type AttemptResource = z.infer<typeof attemptResource>
resourceSchemas.add(attemptResource, { id: 'Attempt' })

export const attemptList = z.object({ items: z.array(attemptResource) })
resourceSchemas.add(attemptList, { id: 'AttemptList' })
