/** What an attempt shall offer: the caller's own fees, or the market's at the chosen speed, never above the cap. */
import { completeFees } from './complete-fees.ts'
import { type FeeMarket, type Fees, maxPricePerGas } from './fees.ts'
import type { Policy } from './policy.ts'
import type { Intent } from './transaction.ts'

export type Price =
  | { readonly type: 'priced'; readonly fees: Fees }
  /** `neededWei` is what the next block asks per gas; `capWei` what policy allows. */
  | { readonly type: 'above_cap'; readonly neededWei: bigint; readonly capWei: bigint }

export function priceTransaction(intent: Pick<Intent, 'fees' | 'speed'>, market: FeeMarket, policy: Policy): Price {
  const cap = policy.maxFeePerGasWei
  if (intent.fees !== null) {
    const fees = completeFees(intent.fees, market, { speed: intent.speed, capWei: cap })
    const offered = maxPricePerGas(fees)
    return cap !== null && offered > cap
      ? { type: 'above_cap', neededWei: offered, capWei: cap }
      : { type: 'priced', fees }
  }
  if (market.baseFeePerGas === null) return priceLegacy(market.gasPrice, cap)
  const tip = market.priorityFeePerGas[intent.speed]
  const needed = market.baseFeePerGas + tip
  if (cap !== null && needed > cap) return { type: 'above_cap', neededWei: needed, capWei: cap }
  // Twice the base fee outlasts six full blocks in a row; what is not needed is not paid.
  const wanted = market.baseFeePerGas * 2n + tip
  const maxFeePerGas = cap !== null && wanted > cap ? cap : wanted
  return { type: 'priced', fees: { type: 'eip1559', maxFeePerGas, maxPriorityFeePerGas: tip } }
}

function priceLegacy(gasPrice: bigint, cap: bigint | null): Price {
  if (cap !== null && gasPrice > cap) return { type: 'above_cap', neededWei: gasPrice, capWei: cap }
  return { type: 'priced', fees: { type: 'legacy', gasPrice } }
}
