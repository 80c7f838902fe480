/** A transaction, its attempts and its history as the API shows them. */
import { z } from 'zod'
import { SUB_STATES, TX_STATES } from '../../core/transaction.ts'
import { address } from './address.ts'
import { amount } from './amount.ts'
import { resourceSchemas } from './api-schemas.ts'
import { bytes, hash } from './bytes.ts'
import { finalityRule } from './finality.ts'
import { instant } from './instant.ts'

const nonce = z.int().min(0)
const blockNumber = z.int().min(0)

const inclusion = z.object({ blockNumber, blockHash: hash })

const receipt = z.object({
  transactionHash: hash,
  transactionIndex: z.int().min(0),
  blockNumber,
  blockHash: hash,
  status: z.enum(['success', 'reverted']),
  gasUsed: amount,
  effectiveGasPrice: amount,
  contractAddress: address.nullable(),
})

const confirmations = z.object({
  count: z.int().min(0).meta({ description: 'Blocks on top of the inclusion, as this node sees the chain now.' }),
  required: finalityRule,
  newForks: z.int().min(0).meta({ description: 'How often the blocks under it were replaced.' }),
})

const error = z.object({ code: z.string(), message: z.string(), reason: z.string().optional() })

export const transactionResource = z.object({
  id: z.uuid(),
  chainId: z.int(),
  from: address,
  to: address.nullable(),
  data: bytes,
  value: amount,
  gasLimit: amount.nullable().meta({ description: 'Null until it is estimated.' }),
  nonce: nonce.nullable(),
  state: z.enum(TX_STATES),
  subState: z.enum(SUB_STATES),
  hash: hash.nullable().meta({ description: 'Of the attempt that is included, else of the newest.' }),
  hashes: z.array(hash).meta({ description: 'Of every attempt ever signed for it, oldest first.' }),
  attempts: z.int().min(0).meta({ description: 'How many byte strings were signed for it.' }),
  receipt: receipt.nullable(),
  inclusion: inclusion.nullable(),
  confirmations,
  error: error.nullable(),
  simulated: z.boolean().meta({
    description:
      'The call was tried out before it was accepted. False where the request asked for no simulation, or no RPC node could run it in time; it is tried out again before it takes a nonce.',
  }),
  requestId: z.string().nullable(),
  metadata: z.record(z.string(), z.string()),
  createdAt: instant,
  submittedAt: instant.nullable(),
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

const attemptFees = z.union([
  z.object({ maxFeePerGas: amount, maxPriorityFeePerGas: amount }),
  z.object({ gasPrice: amount }),
])

export const attemptResource = z.object({
  hash,
  kind: z.enum(['original', 'bump', 'cancel', 'noop']),
  nonce,
  gasLimit: amount,
  fees: attemptFees,
  raw: bytes.meta({ description: 'The signed bytes, as broadcast.' }),
  createdAt: instant,
})
export type AttemptResource = z.infer<typeof attemptResource>
resourceSchemas.add(attemptResource, { id: 'Attempt' })

export const attemptList = z.object({ items: z.array(attemptResource) })
resourceSchemas.add(attemptList, { id: 'AttemptList' })
