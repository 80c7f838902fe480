/** What an attempt offers: the caller's own fees, or the market's at the chosen speed, never above the cap. */

import type { Intent } from '../transaction/transaction.ts'
import { completeFees } from './complete-fees.ts'
import type { FeeCap } from './fee-cap.ts'
import { isWithinCap } from './fee-cap.ts'
import { type FeeMarket, type Fees, maxPricePerGas } from './fees.ts'

export type Price =
  | { readonly type: 'priced'; readonly fees: Fees }
  /** `neededWei` is what the next block asks per gas, or what the caller offers. */
  | { readonly type: 'above_cap'; readonly neededWei: bigint; readonly cap: FeeCap }

export function priceTransaction(intent: Pick<Intent, 'fees' | 'speed'>, market: FeeMarket, cap: FeeCap | null): Price {
  if (intent.fees !== null) {
    const fees = completeFees(intent.fees, market, { speed: intent.speed, capWei: cap?.perGasWei ?? null })
    return cap !== null && !isWithinCap(fees, cap)
      ? { type: 'above_cap', neededWei: maxPricePerGas(fees), cap }
      : { type: 'priced', fees }
  }
  const needed = neededPerGas(market, intent.speed)
  if (cap !== null && needed > cap.perGasWei) return { type: 'above_cap', neededWei: needed, cap }
  if (market.baseFeePerGas === null) return { type: 'priced', fees: { type: 'legacy', gasPrice: needed } }
  const maxPriorityFeePerGas = market.priorityFeePerGas[intent.speed]
  // Twice the base fee outlasts six full blocks in a row; the unused part is not paid.
  const usual = market.baseFeePerGas * 2n + maxPriorityFeePerGas
  const wanted = market.maxFeePerGas === undefined || market.maxFeePerGas < needed ? usual : market.maxFeePerGas
  const maxFeePerGas = cap !== null && wanted > cap.perGasWei ? cap.perGasWei : wanted
  return { type: 'priced', fees: { type: 'eip1559', maxFeePerGas, maxPriorityFeePerGas } }
}

/** What the next block asks per gas for a transaction of this speed. */
export function neededPerGas(market: FeeMarket, speed: Intent['speed']): bigint {
  return market.baseFeePerGas === null ? market.gasPrice : market.baseFeePerGas + market.priorityFeePerGas[speed]
}
