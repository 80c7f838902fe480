/** The body of `POST /v1/transactions`: its fields and what they mean. */
import { z } from 'zod'
import type { NotBefore } from '../../../core/chain/chain-time.ts'
import { type Fees, SPEEDS } from '../../../core/fees/fees.ts'
import { byteLength, type Hex } from '../../../core/hex.ts'
import type { AcceptRequest } from '../../../engine/accept/accept-request.ts'
import { requestSchemas } from '../api-schemas.ts'
import { accessListInput } from '../values/access-list.ts'
import { addressInput } from '../values/address.ts'
import { amountInput } from '../values/amount.ts'
import { bytesInput } from '../values/bytes.ts'
import { CallProblem, encodeCall } from '../values/encode-call.ts'
import { finalityRule, parseFinality } from '../values/finality.ts'
import { instantInput } from '../values/instant.ts'
import { isStorable } from '../values/text.ts'

/** Mempools accept at most 128 KiB of signed bytes, a few hundred of which are not data. */
export const MAX_DATA_BYTES = 128 * 1024 - 512
/** The gas of an empty transaction. With less, every node refuses the bytes although their nonce is already taken. */
export const MIN_GAS = 21_000n
export const MAX_GAS = 2n ** 63n - 1n
/** Nodes read a price as 128 bits. */
export const MAX_PRICE = 2n ** 128n - 1n
const MAX_METADATA_ENTRIES = 32

/** Visible ASCII, so that the same text can travel as a header; no blanks at the ends, which headers lose. */
export const requestIdInput = z
  .string({ error: 'must be a string' })
  .regex(/^[\x21-\x7e](?:[\x20-\x7e]{0,198}[\x21-\x7e])?$/, {
    error: 'must be 1 to 200 printable ASCII characters without spaces at either end',
  })
  .meta({ description: 'Idempotency key. Sending the same key and body again returns the same transaction.' })

export const callInput = z
  .strictObject({
    function: z
      .string({ error: 'must be a signature like "transfer(address,uint256)"' })
      .min(3)
      .max(1_000)
      .meta({ description: 'Function signature.', examples: ['transfer(address,uint256)'] }),
    args: z
      .array(z.unknown())
      .max(1_000)
      .default([])
      .meta({ description: 'Arguments of the function, integers as strings.' }),
  })
  .meta({ description: 'A contract call that Drover encodes for you. Use it instead of `data`.' })

const priceInput = amountInput({ max: MAX_PRICE })

const fees = z
  .strictObject({
    maxFeePerGas: priceInput.optional(),
    maxPriorityFeePerGas: priceInput.optional(),
    gasPrice: priceInput.optional(),
  })
  .meta({
    description: 'Either maxFeePerGas and maxPriorityFeePerGas, or gasPrice, in wei. Default: the market price.',
  })
  .transform((given, context): Fees => {
    const { maxFeePerGas, maxPriorityFeePerGas, gasPrice } = given
    if (gasPrice !== undefined && maxFeePerGas === undefined && maxPriorityFeePerGas === undefined) {
      return { type: 'legacy', gasPrice }
    }
    if (gasPrice !== undefined || maxFeePerGas === undefined || maxPriorityFeePerGas === undefined) {
      context.addIssue({
        code: 'custom',
        message: 'must be either maxFeePerGas and maxPriorityFeePerGas, or gasPrice alone',
      })
      return z.NEVER
    }
    if (maxPriorityFeePerGas > maxFeePerGas) {
      const message = 'must not be above maxFeePerGas'
      context.addIssue({ code: 'custom', path: ['maxPriorityFeePerGas'], message })
      return z.NEVER
    }
    return { type: 'eip1559', maxFeePerGas, maxPriorityFeePerGas }
  })

export const metadataInput = z
  .record(
    z.string().min(1).max(64).refine(isStorable),
    z.string().max(512).refine(isStorable, { error: 'must be valid text without zero characters' }),
  )
  .refine((entries) => Object.keys(entries).length <= MAX_METADATA_ENTRIES, {
    error: `must have at most ${MAX_METADATA_ENTRIES} entries`,
  })
  .meta({ description: 'Your own key-value pairs, stored and returned with the transaction. Up to 32 entries.' })

const notBeforeInput = z
  .strictObject({ height: z.int().min(0).optional(), time: instantInput.optional() })
  .meta({
    description: 'It waits without a nonce until the chain has this block, or a block of this time. Give one of them.',
  })
  .transform(({ height, time }, context): NotBefore => {
    if (height !== undefined && time === undefined) return { height }
    if (time !== undefined && height === undefined) return { timeMs: time }
    context.addIssue({ code: 'custom', message: 'must have either height or time' })
    return z.NEVER
  })

const knownFields = z.strictObject({
  chainId: z.int().min(1).optional().meta({ description: 'Optional if Drover follows only one chain.' }),
  from: addressInput.meta({ description: 'A registered signer.' }),
  to: addressInput.nullish().meta({ description: 'Leave it out, or set it to null, to deploy a contract.' }),
  data: bytesInput(MAX_DATA_BYTES).optional(),
  call: callInput.optional(),
  value: amountInput().optional().meta({ description: 'Amount in wei. Default: 0.' }),
  gasLimit: amountInput({ min: MIN_GAS, max: MAX_GAS }).optional().meta({ description: 'Default: estimated.' }),
  fees: fees.optional(),
  accessList: accessListInput.optional(),
  speed: z.enum(SPEEDS).optional(),
  priority: z
    .int()
    .min(-1_000)
    .max(1_000)
    .optional()
    .meta({ description: 'Higher priorities of the same signer go first.' }),
  validUntil: instantInput.optional().meta({ description: 'If it has no nonce by then, it expires.' }),
  notBefore: notBeforeInput.optional(),
  requestId: requestIdInput.optional(),
  finality: finalityRule.optional(),
  simulate: z
    .boolean()
    .optional()
    .meta({ description: 'Set it to false to accept the transaction without simulating it first.' }),
  metadata: metadataInput.optional(),
})

/** Checked even if other fields are wrong, so one response names everything that is missing. */
const fields = knownFields.refine(({ to, data, call: encoded }) => [to, data, encoded].some(isGiven), {
  path: ['to'],
  error: 'is required, unless data deploys a contract',
  when: ({ issues }) =>
    !issues.some(({ code, path }) => path?.[0] === 'to' || (code === 'invalid_type' && !path?.length)),
})

function isGiven(field: unknown): boolean {
  return field !== undefined && field !== null && field !== '0x'
}

export const transactionRequest = fields.transform((body, context): AcceptRequest => {
  const data = resolveData(body, context)
  if (data === null) return z.NEVER
  return {
    chainId: body.chainId ?? null,
    from: body.from,
    to: body.to ?? null,
    data,
    value: body.value ?? 0n,
    gasLimit: body.gasLimit ?? null,
    fees: body.fees ?? null,
    speed: body.speed ?? null,
    priority: body.priority ?? null,
    validUntil: body.validUntil ?? null,
    requestId: body.requestId ?? null,
    finality: body.finality === undefined ? null : parseFinality(body.finality),
    simulate: body.simulate ?? null,
    metadata: body.metadata ?? {},
    ...(body.accessList !== undefined && { accessList: body.accessList }),
    ...(body.notBefore !== undefined && { notBefore: body.notBefore }),
  }
})
requestSchemas.add(transactionRequest, { id: 'TransactionRequest' })

function resolveData(body: z.output<typeof fields>, context: z.RefinementCtx): Hex | null {
  const refuse = (path: readonly (string | number)[], message: string): null => {
    context.addIssue({ code: 'custom', path: [...path], message })
    return null
  }
  const isDeployment = body.to === undefined || body.to === null
  if (body.call === undefined) return body.data ?? '0x'
  if (body.data !== undefined) return refuse(['call'], 'cannot be used together with data')
  if (isDeployment) return refuse(['to'], 'is required with call')
  try {
    const data = encodeCall(body.call)
    return byteLength(data) <= MAX_DATA_BYTES ? data : refuse(['call', 'args'], 'are too large when encoded')
  } catch (error) {
    if (!(error instanceof CallProblem)) throw error
    return refuse(['call', ...error.path], error.message)
  }
}
