/**
 * What a replacement has to offer. Nodes accept another transaction under the same nonce only if it outbids the one
 * they hold on every fee field; 12.5 % is the most that any known client requires. The step starts from the last
 * attempt, not from the market, and is rounded up, so no series of replacements is ever refused as underpriced. The
 * market is the floor, and the cap is never exceeded.
 */
import type { FeeMarket, Fees, Speed } from '../fees/fees.ts'

const STEP_PER_MILLE = 1_125n

export type Replacement =
  | { readonly type: 'replace'; readonly fees: Fees }
  /** Even the smallest step would exceed the cap. */
  | { readonly type: 'above_cap'; readonly neededWei: bigint; readonly capWei: bigint }

export interface ReplacementLimits {
  readonly speed: Speed
  /** The lower of what the caller and the policy allow per gas; null if neither sets a limit. */
  readonly capWei: bigint | null
}

export function planReplacement(last: Fees, market: FeeMarket, { speed, capWei }: ReplacementLimits): Replacement {
  if (last.type === 'legacy') {
    const needed = stepUp(last.gasPrice)
    if (capWei !== null && needed > capWei) return { type: 'above_cap', neededWei: needed, capWei }
    return { type: 'replace', fees: { type: 'legacy', gasPrice: clamp(max(needed, market.gasPrice), capWei) } }
  }
  const needed = stepUp(last.maxFeePerGas)
  const neededTip = stepUp(last.maxPriorityFeePerGas)
  if (capWei !== null && (needed > capWei || neededTip > capWei)) {
    return { type: 'above_cap', neededWei: max(needed, neededTip), capWei }
  }
  const tip = max(neededTip, market.priorityFeePerGas[speed])
  const maxFeePerGas = clamp(max(needed, (market.baseFeePerGas ?? market.gasPrice) * 2n + tip), capWei)
  return { type: 'replace', fees: { type: 'eip1559', maxFeePerGas, maxPriorityFeePerGas: min(tip, maxFeePerGas) } }
}

/** The next block would not include it at this price: only then does a higher one help. */
export function isPriceTooLow(last: Fees, market: FeeMarket): boolean {
  if (last.type === 'legacy') return last.gasPrice < (market.baseFeePerGas ?? market.gasPrice)
  const base = market.baseFeePerGas ?? 0n
  if (last.maxFeePerGas < base) return true
  const room = last.maxFeePerGas - base
  return min(last.maxPriorityFeePerGas, room) < market.priorityFeePerGas.slow
}

function stepUp(wei: bigint): bigint {
  const stepped = (wei * STEP_PER_MILLE + 999n) / 1_000n
  return stepped > wei ? stepped : wei + 1n
}

function clamp(wei: bigint, capWei: bigint | null): bigint {
  return capWei !== null && wei > capWei ? capWei : wei
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
