/** Whether a block could have taken a transaction: there was gas left for it, and its price was enough. */
import { maxPricePerGas } from '../../core/fees/fees.ts'
import { type InFlight, newestAttempt } from '../../core/transaction/transaction.ts'
import type { Block } from '../../ports/chain.ts'

export function hadRoom({ room }: Pick<Block, 'room'>, tx: InFlight): boolean {
  const newest = newestAttempt(tx)
  if (newest === null) return false
  if (room === undefined) return true
  const { gasUsed, gasLimit, baseFeePerGas } = room
  const isPaid = baseFeePerGas === null || maxPricePerGas(newest.fees) >= baseFeePerGas
  return isPaid && gasUsed + newest.gasLimit <= gasLimit
}
