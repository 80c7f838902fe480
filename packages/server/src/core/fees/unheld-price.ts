/**
 * The price that replaces bytes that no node ever held. There is nothing to outbid, so no step is needed: the market
 * decides, and fields that are already high enough stay as they are.
 */

import type { Policy } from '../lane/policy.ts'
import type { Replacement } from '../transaction/replacement.ts'
import type { Intent } from '../transaction/transaction.ts'
import { capPerGas } from './fee-cap.ts'
import { type FeeMarket, type Fees, maxPricePerGas } from './fees.ts'
import { priceTransaction } from './price.ts'

/** Null: the market asks no more than these bytes already offer. */
export function planUnheld(
  last: Fees,
  market: FeeMarket,
  { speed }: Pick<Intent, 'speed'>,
  policy: Policy,
): Replacement | null {
  const price = priceTransaction({ fees: null, speed }, market, capPerGas(policy))
  if (price.type === 'above_cap') return { ...price, capWei: price.cap.perGasWei }
  const fees = raise(last, price.fees)
  const cap = policy.maxFeePerGasWei
  const neededWei = maxPricePerGas(fees)
  // The cap was lowered since: even the current bytes are above it.
  if (cap !== null && neededWei > cap) return { type: 'above_cap', neededWei, capWei: cap }
  return offersMore(fees, last) ? { type: 'replace', fees } : null
}

/** More in at least one field. */
export function offersMore(fees: Fees, than: Fees): boolean {
  if (fees.type === 'legacy') return fees.gasPrice > (than.type === 'legacy' ? than.gasPrice : than.maxFeePerGas)
  if (than.type === 'legacy') return fees.maxFeePerGas > than.gasPrice
  return fees.maxFeePerGas > than.maxFeePerGas || fees.maxPriorityFeePerGas > than.maxPriorityFeePerGas
}

/** The higher of both in each field: it outbids both, or is at least as good. */
export function raise(one: Fees, other: Fees): Fees {
  if (one.type === 'legacy' && other.type === 'legacy') return one.gasPrice > other.gasPrice ? one : other
  if (one.type !== 'eip1559' || other.type !== 'eip1559') return other
  return {
    type: 'eip1559',
    maxFeePerGas: max(one.maxFeePerGas, other.maxFeePerGas),
    maxPriorityFeePerGas: max(one.maxPriorityFeePerGas, other.maxPriorityFeePerGas),
  }
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
