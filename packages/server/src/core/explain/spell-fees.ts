/** Fees in gwei, for people. */
import type { Fees } from '../fees/fees.ts'

export function spellFees(fees: Fees): string {
  if (fees.type === 'legacy') return `${spellGwei(fees.gasPrice)} gwei per gas`
  return `at most ${spellGwei(fees.maxFeePerGas)} gwei per gas with a tip of ${spellGwei(fees.maxPriorityFeePerGas)} gwei`
}

function spellGwei(wei: bigint): string {
  const whole = wei / 1_000_000_000n
  const rest = (wei % 1_000_000_000n).toString().padStart(9, '0').replace(/0+$/, '')
  return rest === '' ? whole.toString() : `${whole}.${rest}`
}
