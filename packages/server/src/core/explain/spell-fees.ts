/** Fees in gwei, for people. */
import { formatGwei } from '../amount.ts'
import type { Fees } from '../fees/fees.ts'

export function spellFees(fees: Fees): string {
  if (fees.type === 'legacy') return `${formatGwei(fees.gasPrice)} per gas`
  return `at most ${formatGwei(fees.maxFeePerGas)} per gas with a tip of ${formatGwei(fees.maxPriorityFeePerGas)}`
}
