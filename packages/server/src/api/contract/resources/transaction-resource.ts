/** A transaction, its attempts and its history as the API shows them. */
import { z } from 'zod'
import { SPEEDS } from '../../../core/fees/fees.ts'
import { SUB_STATES, TX_STATES } from '../../../core/transaction/transaction.ts'
import { resourceSchemas } from '../api-schemas.ts'
import { accessList } from '../values/access-list.ts'
import { address } from '../values/address.ts'
import { amount } from '../values/amount.ts'
import { bytes, hash } from '../values/bytes.ts'
import { finalityRule } from '../values/finality.ts'
import { instant } from '../values/instant.ts'
import { errorResource } from './error-resource.ts'
import { receiptResource } from './receipt-resource.ts'
import { approvalResource } from './rules-resource.ts'

const nonce = z.int().min(0)
const blockNumber = z.int().min(0)

const inclusion = z.object({ blockNumber, blockHash: hash })

const confirmations = z.object({
  count: z.int().min(0).meta({ description: 'Confirmations so far, as this node sees the chain.' }),
  required: finalityRule,
  newForks: z.int().min(0).meta({ description: 'How often a reorg replaced its blocks.' }),
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
  accessList: accessList.nullable().meta({ description: 'Access list (EIP-2930) of the request. Null: it has none.' }),
  gasLimit: amount.nullable().meta({ description: 'Null until it has been estimated.' }),
  fees: wantedFees.nullable().meta({
    description:
      'The price that the request asked for. If it or a field is null, Drover uses the market price at `speed`.',
  }),
  speed: z.enum(SPEEDS),
  priority: z.int(),
  validUntil: instant.nullable(),
  notBefore: z
    .union([z.object({ height: z.int().min(0) }), z.object({ time: instant })])
    .nullable()
    .meta({ description: 'It gets no nonce before the chain has this block, or a block of this time.' }),
  nonce: nonce.nullable(),
  state: z.enum(TX_STATES),
  subState: z.enum(SUB_STATES),
  hash: hash.nullable().meta({
    description:
      'Hash of the mined attempt, or of the newest if none is mined. If a transaction that Drover did not sign used the nonce and did the same, its hash. Look-ups by hash find only `hashes`.',
  }),
  hashes: z.array(hash).meta({ description: 'Hashes of all attempts that Drover ever signed, oldest first.' }),
  attempts: z.int().min(0).meta({ description: 'Number of attempts signed.' }),
  receipt: receiptResource.nullable(),
  inclusion: inclusion.nullable(),
  confirmations,
  error: errorResource.nullable(),
  simulated: z.boolean().meta({
    description:
      'The call was simulated before it was accepted. False if the request turned simulation off, or if no RPC node could run it in time. Drover simulates it again before it gets a nonce.',
  }),
  requestId: z.string().nullable(),
  metadata: z.record(z.string(), z.string()),
  createdAt: instant,
  suspended: z.boolean().meta({ description: 'An operator suspended it.' }),
  submitCount: z.int().min(0).meta({ description: 'How often it was sent under its current nonce.' }),
  submittedAt: instant.nullable().meta({ description: 'When an RPC node first accepted it.' }),
  lastSubmitAt: instant.nullable().meta({ description: 'When it was last sent.' }),
  nextResubmitAt: instant
    .nullable()
    .meta({ description: 'When Drover sends it again if it is not mined by then. Null if it does not.' }),
  stuckAt: instant.nullable(),
  minedAt: instant.nullable(),
  finalAt: instant.nullable(),
  fence: z.int().nullable().meta({ description: 'Fencing token of the lease under which it got its nonce.' }),
  node: z.string().nullable().meta({ description: 'Node that assigned the nonce.' }),
  approval: approvalResource
    .nullable()
    .meta({ description: 'Who has to approve it, and who has. Null: nobody has to.' }),
})
export type TransactionResource = z.infer<typeof transactionResource>
resourceSchemas.add(transactionResource, { id: 'Transaction' })

export const transactionPage = z.object({
  items: z.array(transactionResource),
  next: z.string().nullable().meta({ description: 'Pass it as `after` to get the next page. Null on the last page.' }),
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
