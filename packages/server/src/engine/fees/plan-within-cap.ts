/** What may replace a sent transaction within its cap: the price it offers, and how much gas it gets. */
import { capByRequest, type FeeCap, type FeeRules, findFeeCap } from '../../core/fees/fee-cap.ts'
import type { NextAttempt } from '../../core/lane/plan-next.ts'
import { NOOP_GAS } from '../../core/transaction/fill.ts'
import { type InFlight, isCancelling } from '../../core/transaction/transaction.ts'

export interface CappedPlan {
  readonly plan: NextAttempt
  readonly gasLimit: bigint
  /** The lowest limit, including the caller's own fees. */
  readonly cap: FeeCap | null
}

/**
 * Plans with the gas that the replacement will have. An empty transaction needs little, so if it would be above its cap
 * it gets as much gas as fits under it. It gets more than 21,000 if possible, because some chains need more and unused
 * gas is not paid. `planUnder` receives the most per gas that chain, signer and key allow.
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
    // A caller's own fees are the most it pays, but an empty transaction in its place is paid for by the lane.
    const isOwn = fees !== null && !isCancelling(tx)
    const plan = planUnder(cap?.perGasWei ?? null)
    return { gasLimit: gas, plan, cap: isOwn ? capByRequest(cap, fees) : cap }
  }
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
