/** Refuses a request whose own fees can never be within its cap: no block makes them cheaper, so waiting is useless. */
import { formatAmount, formatGwei } from '../../core/amount.ts'
import { AppError } from '../../core/app-error.ts'
import { describeCap, type FeeRules, findFeeCap, highestNamed, isWithinCap } from '../../core/fees/fee-cap.ts'
import { NOOP_GAS } from '../../core/transaction/fill.ts'
import type { Intent } from '../../core/transaction/transaction.ts'

/** Null: the fees are fine. If the gas is not known yet, it is at least what the smallest transaction needs. */
export function refuseFees(
  { fees, gasLimit: given, maxFeeWei }: Pick<Intent, 'fees' | 'gasLimit' | 'maxFeeWei'>,
  rules: FeeRules,
): AppError | null {
  if (fees === null) return null
  const gasLimit = given ?? NOOP_GAS
  const cap = findFeeCap({ maxFeeWei }, gasLimit, rules)
  if (cap === null || isWithinCap(fees, cap)) return null
  const price = highestNamed(fees) ?? 0n
  const gas = given === null ? `at least ${gasLimit} gas` : `${gasLimit} gas`
  const message = `It offers ${formatGwei(price, cap.perGasWei)} per gas (${formatAmount(price * gasLimit)} for ${gas}), but the limit is ${describeCap(cap, price)}. Nothing was stored.`
  const field = fees.type === 'eip1559' ? 'fees.maxFeePerGas' : 'fees.gasPrice'
  return new AppError('transaction_rejected', message, { field, outcome: 'fee_above_cap' })
}
