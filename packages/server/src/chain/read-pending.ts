/** Signed bytes as a node shows them while they are not mined yet. */
import { keccak256, parseTransaction } from 'viem/utils'
import type { Hex } from '../core/hex.ts'
import type { PendingTransaction } from '../ports/upstream.ts'
import { recoverSender } from './recover-sender.ts'

type Parsed = ReturnType<typeof parseTransaction>

const TYPE_NUMBERS: Readonly<Record<string, string>> = {
  legacy: '0x0',
  eip2930: '0x1',
  eip1559: '0x2',
  eip4844: '0x3',
  eip7702: '0x4',
}

export async function readPending(raw: Hex): Promise<PendingTransaction | null> {
  let parsed: Parsed
  let from: Hex
  try {
    parsed = parseTransaction(raw)
    from = await recoverSender(parsed)
  } catch {
    // Whoever made the bytes may have made anything; the library tells bad bytes apart by throwing only.
    return null
  }
  const hash = keccak256(raw)
  return { hash, from, chainId: parsed.chainId ?? 0, object: describe(parsed, hash, from) }
}

function describe(parsed: Parsed, hash: Hex, from: Hex): Readonly<Record<string, unknown>> {
  const yParity = parsed.yParity ?? (parsed.v === undefined ? 0 : Number(parsed.v % 2n === 0n))
  const isLegacy = parsed.type === 'legacy'
  return {
    blockHash: null,
    blockNumber: null,
    transactionIndex: null,
    hash,
    from,
    to: parsed.to ?? null,
    nonce: toQuantity(parsed.nonce ?? 0),
    gas: toQuantity(parsed.gas ?? 0n),
    value: toQuantity(parsed.value ?? 0n),
    input: parsed.data ?? '0x',
    type: TYPE_NUMBERS[parsed.type ?? 'legacy'] ?? '0x0',
    ...(parsed.chainId !== undefined && { chainId: toQuantity(parsed.chainId) }),
    ...describePrice(parsed),
    ...(!isLegacy && { accessList: parsed.accessList ?? [], yParity: toQuantity(yParity) }),
    r: shorten(parsed.r),
    s: shorten(parsed.s),
    v: toQuantity(isLegacy ? (parsed.v ?? BigInt(27 + yParity)) : yParity),
  }
}

/** Nodes show as `gasPrice` of a pending transaction the most that it would pay. */
function describePrice(parsed: Parsed): Readonly<Record<string, string>> {
  if (parsed.maxFeePerGas === undefined) return { gasPrice: toQuantity(parsed.gasPrice ?? 0n) }
  const maxFeePerGas = toQuantity(parsed.maxFeePerGas)
  const maxPriorityFeePerGas = toQuantity(parsed.maxPriorityFeePerGas ?? 0n)
  return { gasPrice: maxFeePerGas, maxFeePerGas, maxPriorityFeePerGas }
}

function toQuantity(value: number | bigint): Hex {
  return `0x${value.toString(16)}`
}

/** Quantities have no leading zeros. */
function shorten(hex: Hex | undefined): Hex {
  return toQuantity(BigInt(hex ?? '0x0'))
}
