/** Prices that an operator sets as the lowest to offer, for chains whose nodes suggest less than they accept. */
import type { FeeMarket, Speed } from './fees.ts'

export interface PriceFloor {
  /** Base fee and tip together, or the gas price of a legacy transaction; null: none. */
  readonly minGasPriceWei: bigint | null
  /** The tip alone; null: none. */
  readonly minPriorityFeeWei: bigint | null
}

export function raiseToFloor(market: FeeMarket, { minGasPriceWei, minPriorityFeeWei }: PriceFloor): FeeMarket {
  const base = market.baseFeePerGas ?? 0n
  const lowestTip = max(minPriorityFeeWei ?? 0n, (minGasPriceWei ?? 0n) - base)
  const tipAt = (speed: Speed) => max(market.priorityFeePerGas[speed], lowestTip)
  return {
    ...market,
    gasPrice: max(market.gasPrice, base + lowestTip),
    priorityFeePerGas: { slow: tipAt('slow'), standard: tipAt('standard'), fast: tipAt('fast') },
  }
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
