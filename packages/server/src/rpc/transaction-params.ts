/** The object that `eth_sendTransaction` takes: what may stand there, and the request that it becomes. */
import { z } from 'zod'
import { addressInput } from '../api/contract/address.ts'
import { UINT256_MAX } from '../api/contract/amount.ts'
import { bytesInput } from '../api/contract/bytes.ts'
import { MAX_DATA_BYTES, MAX_PRICE } from '../api/contract/transaction-request.ts'
import { parseInput } from '../api/parse-input.ts'
import type { Fees } from '../core/fees.ts'
import type { AcceptRequest } from '../engine/accept-request.ts'
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

const fields = z.strictObject({
  from: addressInput,
  to: addressInput.nullish(),
  data: bytesInput(MAX_DATA_BYTES).nullish(),
  input: bytesInput(MAX_DATA_BYTES).nullish(),
  value: quantity(UINT256_MAX).nullish(),
  gas: quantity(MAX_GAS).nullish(),
  gasLimit: quantity(MAX_GAS).nullish(),
  gasPrice: quantity(MAX_PRICE).nullish(),
  maxFeePerGas: quantity(MAX_PRICE).nullish(),
  maxPriorityFeePerGas: quantity(MAX_PRICE).nullish(),
  type: quantity(255n).nullish(),
  chainId: quantity(UINT256_MAX).nullish(),
  accessList: z.array(z.unknown()).max(0, { error: 'is not supported; leave it out' }).nullish(),
  nonce: z
    .null({
      error:
        'must be left out: Drover gives out the nonces. To replace a transaction, speed it up or cancel it through the HTTP API',
    })
    .optional(),
})

type Given = z.output<typeof fields>

/** `requestId`: what makes the same call, sent again, the same transaction. */
export function parseTransactionParams(
  params: readonly unknown[],
  chainId: number,
  requestId: string | null,
): AcceptRequest {
  if (params.length !== 1) throw new RpcFailure('invalid_params', 'one parameter is needed: the transaction')
  const given = parseInput(fields, params[0])
  const named = given.chainId ?? null
  if (named !== null && named !== BigInt(chainId)) {
    throw new RpcFailure('invalid_params', `chainId is ${named}, but this endpoint is of chain ${chainId}`)
  }
  const to = given.to ?? null
  const data = pickData(given)
  if (to === null && data === '0x') {
    throw new RpcFailure('invalid_params', 'to is needed, unless data deploys a contract')
  }
  return {
    ...{ chainId, from: given.from, to, data, requestId },
    value: given.value ?? 0n,
    gasLimit: pickGas(given),
    fees: pickFees(given),
    ...{ speed: null, priority: null, validUntil: null, finality: null, simulate: null, metadata: {} },
  }
}

/** `input` is the newer name of `data`; many send both. */
function pickData({ data, input }: Given): AcceptRequest['data'] {
  const [one, other] = [data ?? null, input ?? null]
  if (one !== null && other !== null && one !== other) {
    throw new RpcFailure('invalid_params', 'data and input are both given and differ; give one of them')
  }
  return one ?? other ?? '0x'
}

function pickGas({ gas, gasLimit }: Given): bigint | null {
  const limit = gas ?? gasLimit ?? null
  if (limit !== null && limit < 21_000n) {
    throw new RpcFailure('refused', `intrinsic gas too low: gas is ${limit}, and every transaction needs 21000`)
  }
  return limit
}

function pickFees({ gasPrice, maxFeePerGas, maxPriorityFeePerGas, type }: Given): Fees | null {
  const [price, most, tip] = [gasPrice ?? null, maxFeePerGas ?? null, maxPriorityFeePerGas ?? null]
  const kind = type ?? null
  if (kind !== null && kind !== 0n && kind !== 2n) {
    throw new RpcFailure(
      'invalid_params',
      `type 0x${kind.toString(16)} is not supported; use 0x0 or 0x2, or leave it out`,
    )
  }
  if (price !== null && (most !== null || tip !== null)) {
    throw new RpcFailure(
      'invalid_params',
      'gasPrice cannot be given together with maxFeePerGas or maxPriorityFeePerGas',
    )
  }
  if (kind === 0n && price === null) throw new RpcFailure('invalid_params', 'type 0x0 needs gasPrice')
  if (kind === 2n && price !== null) throw new RpcFailure('invalid_params', 'type 0x2 cannot have gasPrice')
  if (price !== null) return { type: 'legacy', gasPrice: price }
  if (most === null && tip === null) return null
  if (most === null || tip === null) {
    throw new RpcFailure('invalid_params', 'maxFeePerGas and maxPriorityFeePerGas must be given together')
  }
  if (tip > most) {
    throw new RpcFailure('refused', `max priority fee per gas higher than max fee per gas: ${tip} > ${most}`)
  }
  return { type: 'eip1559', maxFeePerGas: most, maxPriorityFeePerGas: tip }
}
