/**
 * The object that `eth_sendTransaction` takes, and the request that it becomes. What a plain node takes is taken here too:
 * fields that are null or empty lists say nothing, a lone fee field is completed later from the market. Only what would
 * change the meaning, and cannot be done, is refused.
 */
import { z } from 'zod'
import { MAX_DATA_BYTES, MAX_PRICE } from '../api/contract/requests/transaction-request.ts'
import { accessListInput } from '../api/contract/values/access-list.ts'
import { addressInput } from '../api/contract/values/address.ts'
import { UINT256_MAX } from '../api/contract/values/amount.ts'
import { bytesInput } from '../api/contract/values/bytes.ts'
import { parseInput } from '../api/parse-input.ts'
import type { WantedFees } from '../core/fees/fees.ts'
import type { AcceptRequest } from '../engine/accept/accept-request.ts'
import { RpcFailure } from './rpc-failure.ts'

const QUANTITY = /^0x[0-9a-fA-F]{1,64}$/
const NO_QUANTITY = 'must be a 0x-hex quantity such as "0x5208"'
const MAX_GAS = 2n ** 63n - 1n

/** Hex only, as nodes have it: "10" could be meant either way, and sixteen is not ten. */
function quantity(max: bigint) {
  return z.string({ error: NO_QUANTITY }).transform((text, context) => {
    const value = QUANTITY.test(text) ? BigInt(text) : null
    if (value !== null && value <= max) return value
    context.addIssue({ code: 'custom', message: value === null ? NO_QUANTITY : `must be at most ${max}` })
    return z.NEVER
  })
}

/** A number is as clear as its hex spelling, and some libraries write one. */
const typeNumber = z.union([quantity(255n), z.int().min(0).max(255).transform(BigInt)], {
  error: 'must be a transaction type such as "0x2" or 2',
})

const dataInput = z.preprocess((value) => (value === '' ? '0x' : value), bytesInput(MAX_DATA_BYTES))

const fields = z.preprocess(
  dropEmpty,
  z.strictObject({
    from: addressInput,
    to: addressInput.optional(),
    data: dataInput.optional(),
    input: dataInput.optional(),
    value: quantity(UINT256_MAX).optional(),
    gas: quantity(MAX_GAS).optional(),
    gasLimit: quantity(MAX_GAS).optional(),
    gasPrice: quantity(MAX_PRICE).optional(),
    maxFeePerGas: quantity(MAX_PRICE).optional(),
    maxPriorityFeePerGas: quantity(MAX_PRICE).optional(),
    type: typeNumber.optional(),
    chainId: quantity(UINT256_MAX).optional(),
    accessList: accessListInput.optional(),
    nonce: quantity(BigInt(Number.MAX_SAFE_INTEGER)).optional(),
  }),
)

/** Checked even if other fields are wrong, so one response names everything that is missing. */
const transaction = fields.refine(hasTarget, {
  path: ['to'],
  error: 'is required, unless data deploys a contract',
  when: ({ issues }) =>
    !issues.some(({ code, path }) => path?.[0] === 'to' || (code === 'invalid_type' && !path?.length)),
})

function hasTarget({ to, data = '0x', input = '0x' }: Given): boolean {
  return to !== undefined || data !== '0x' || input !== '0x'
}

function dropEmpty(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null && !isEmptyList(field)))
}

function isEmptyList(field: unknown): boolean {
  return Array.isArray(field) && field.length === 0
}

type Given = z.output<typeof fields>

/** `requestId`: what makes the same call, sent again, the same transaction. */
export function parseTransactionParams(
  params: readonly unknown[],
  chainId: number,
  requestId: string | null,
): AcceptRequest {
  if (params.length !== 1) throw new RpcFailure('invalid_params', 'expected one parameter: the transaction')
  const given = parseInput(transaction, params[0])
  const { chainId: named, accessList, nonce } = given
  if (named !== undefined && named !== BigInt(chainId)) {
    throw new RpcFailure('invalid_params', `chainId is ${named}, but this endpoint is for chain ${chainId}`)
  }
  return {
    chainId,
    from: given.from,
    to: given.to ?? null,
    data: pickData(given),
    requestId,
    value: given.value ?? 0n,
    gasLimit: pickGas(given),
    fees: pickFees(given),
    speed: null,
    priority: null,
    validUntil: null,
    finality: null,
    simulate: null,
    metadata: {},
    ...(accessList !== undefined && { accessList }),
    ...(nonce !== undefined && { exactNonce: Number(nonce) }),
  }
}

/** `input` is the newer name of `data`; many send both. */
function pickData({ data, input }: Given): AcceptRequest['data'] {
  if (data !== undefined && input !== undefined && data !== input) {
    throw new RpcFailure('invalid_params', 'data and input differ; give only one of them')
  }
  return data ?? input ?? '0x'
}

function pickGas({ gas, gasLimit }: Given): bigint | null {
  const limit = gas ?? gasLimit ?? null
  if (limit !== null && limit < 21_000n) {
    throw new RpcFailure('refused', `intrinsic gas too low: gas is ${limit}, but every transaction needs 21000`)
  }
  return limit
}

function pickFees(given: Given): WantedFees | null {
  const { gasPrice: price, maxFeePerGas: most, maxPriorityFeePerGas: tip, type } = given
  if (type !== undefined && type > 2n) {
    const message = `type 0x${type.toString(16)} is not supported; use 0x0, 0x1 or 0x2, or leave it out`
    throw new RpcFailure('invalid_params', message)
  }
  const hasMarketFees = most !== undefined || tip !== undefined
  if (price !== undefined && hasMarketFees) {
    throw new RpcFailure('invalid_params', 'both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified')
  }
  if ((type === 0n || type === 1n) && hasMarketFees) {
    throw new RpcFailure('invalid_params', `type 0x${type} takes gasPrice, not maxFeePerGas or maxPriorityFeePerGas`)
  }
  // Under the newer type the same price is both the most and the tip: it pays exactly that.
  if (type === 2n && price !== undefined) {
    return { type: 'eip1559', maxFeePerGas: price, maxPriorityFeePerGas: price }
  }
  if (price !== undefined || type === 0n || type === 1n) return { type: 'legacy', gasPrice: price ?? null }
  if (!hasMarketFees) return null
  if (most !== undefined && tip !== undefined && tip > most) {
    throw new RpcFailure('refused', `max priority fee per gas higher than max fee per gas: ${tip} > ${most}`)
  }
  return { type: 'eip1559', maxFeePerGas: most ?? null, maxPriorityFeePerGas: tip ?? null }
}
