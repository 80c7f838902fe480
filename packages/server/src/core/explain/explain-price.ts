/** Whether the bytes that are out offer enough for the next block. If not, only time or a new price helps. */
import { formatGwei } from '../amount.ts'
import { maxPricePerGas } from '../fees/fees.ts'
import { currentAttempt, type InFlight } from '../transaction/transaction.ts'
import type { ExplainContext } from './explanation.ts'

export function explainLowPrice(tx: InFlight, { baseFeeWei }: ExplainContext): string | null {
  const attempt = currentAttempt(tx)
  if (attempt === null || baseFeeWei === null) return null
  const offered = maxPricePerGas(attempt.fees)
  if (offered >= baseFeeWei) return null
  return `It offers at most ${formatGwei(offered, baseFeeWei)} per gas, but the next block asks ${formatGwei(baseFeeWei, offered)}. It cannot be mined until that falls.`
}
