/** The offered and the requested gas fees as JSON. */
import type { Fees, WantedFees } from '../../core/fees/fees.ts'
import type { AttemptResource, TransactionResource } from '../contract/resources/transaction-resource.ts'

export function presentFees(fees: Fees): AttemptResource['fees'] {
  if (fees.type === 'legacy') return { gasPrice: fees.gasPrice.toString() }
  const { maxFeePerGas, maxPriorityFeePerGas } = fees
  return { maxFeePerGas: maxFeePerGas.toString(), maxPriorityFeePerGas: maxPriorityFeePerGas.toString() }
}

export function presentWantedFees(fees: WantedFees): TransactionResource['fees'] {
  if (fees.type === 'legacy') return { gasPrice: fees.gasPrice?.toString() ?? null }
  const { maxFeePerGas, maxPriorityFeePerGas } = fees
  return {
    maxFeePerGas: maxFeePerGas?.toString() ?? null,
    maxPriorityFeePerGas: maxPriorityFeePerGas?.toString() ?? null,
  }
}
