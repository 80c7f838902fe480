/** What a sent transaction may be replaced with, within its cap: what that offers, and with how much gas. */
import { capByRequest, type FeeCap, type FeeRules, findFeeCap } from '../../core/fees/fee-cap.ts'
import type { NextAttempt } from '../../core/lane/plan-next.ts'
import { NOOP_GAS } from '../../core/transaction/fill.ts'
import { type InFlight, isCancelling } from '../../core/transaction/transaction.ts'

export interface CappedPlan {
  readonly plan: NextAttempt
  readonly gasLimit: bigint
  /** The lowest limit, that of the caller's own fees included. */
  readonly cap: FeeCap | null
}

/**
 * With the gas that it is to have. An empty transaction needs little, so that one which would be above its cap gets as much
 * as fits under it; more than 21,000 where it can be, since some chains need more, and what is not used is not paid.
 * `planUnder` is told the most that chain, signer and key allow per gas.
 */
export function planWithinCap(
  tx: InFlight,
  gasLimit: bigint,
  rules: FeeRules,
  planUnder: (maxFeePerGasWei: bigint | null) => NextAttempt,
): CappedPlan {
  const planned = planWith(gasLimit)
  const feeWei = planned.cap?.feeWei ?? null
  if (!isCancelling(tx) || planned.plan.type !== 'above_cap' || feeWei === null) return planned
  const fitting = feeWei / planned.plan.neededWei
  if (fitting >= gasLimit) return planned
  return planWith(max(fitting, NOOP_GAS))

  function planWith(gas: bigint): CappedPlan {
    const cap = findFeeCap(tx.intent, gas, rules)
    const { fees } = tx.intent
    // A caller's own fees are the most it pays; but an empty transaction in its place is the lane's affair.
    const isOwn = fees !== null && !isCancelling(tx)
    const plan = planUnder(cap?.perGasWei ?? null)
    return { gasLimit: gas, plan, cap: isOwn ? capByRequest(cap, fees) : cap }
  }
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
