/**
 * A price that no block will ever accept. The base fee falls by an eighth at most from block to block, rounded down, so
 * once it is above 7 wei it never falls below 7. Chains without a base fee may accept any price, zero included.
 */
import { type FeeMarket, maxPricePerGas, type WantedFees } from './fees.ts'

const LOWEST_BASE_FEE = 7n

/** Worth checking against the market: every other price may be mined some day. */
export function isTinyPrice(fees: WantedFees | null): boolean {
  const offered = fees === null ? null : maxPricePerGas(fees)
  return offered !== null && offered < LOWEST_BASE_FEE
}

/** Why it can never be mined, in the words that nodes use; null if it can. */
export function findUnmineable(fees: WantedFees | null, { baseFeePerGas }: FeeMarket): string | null {
  const offered = fees === null ? null : maxPricePerGas(fees)
  if (fees === null || offered === null || baseFeePerGas === null) return null
  const floor = baseFeePerGas < LOWEST_BASE_FEE ? baseFeePerGas : LOWEST_BASE_FEE
  if (offered >= floor) return null
  const name = fees.type === 'legacy' ? 'gasPrice' : 'maxFeePerGas'
  return `max fee per gas less than block base fee: ${name}: ${offered}, baseFee: ${baseFeePerGas}`
}
