/** What a transaction is likely to cost at most, before it is prepared. The fee that is signed is checked again. */
import { maxPricePerGas } from '../../core/fees/fees.ts'
import { priceTransaction } from '../../core/fees/price.ts'
import { NOOP_GAS } from '../../core/transaction/fill.ts'
import type { Intent } from '../../core/transaction/transaction.ts'
import { ChainUnavailable } from '../../ports/chain.ts'
import type { FeeMarkets } from '../fees/fee-markets.ts'

/** `gas`: what a simulation used. Null: the gas price is not known. */
export async function estimateFee(intent: Intent, gas: bigint | null, markets: FeeMarkets): Promise<bigint | null> {
  try {
    const price = priceTransaction(intent, await markets.read(intent.lane.chainId), null)
    if (price.type !== 'priced') return null
    return (intent.gasLimit ?? gas ?? NOOP_GAS) * maxPricePerGas(price.fees)
  } catch (error) {
    if (error instanceof ChainUnavailable) return null
    throw error
  }
}
