/** What is offered for gas, as JSON. */
import type { Fees } from '../core/fees.ts'
import type { AttemptResource } from './contract/transaction-resource.ts'

export function presentFees(fees: Fees): AttemptResource['fees'] {
  if (fees.type === 'legacy') return { gasPrice: fees.gasPrice.toString() }
  const { maxFeePerGas, maxPriorityFeePerGas } = fees
  return { maxFeePerGas: maxFeePerGas.toString(), maxPriorityFeePerGas: maxPriorityFeePerGas.toString() }
}
