/** A replacement that keeps within the cap of its transaction: what it offers, and with how much gas. */
import { capByRequest, type FeeCap, type FeeRules, findFeeCap } from '../../core/fee-cap.ts'
import { NOOP_GAS } from '../../core/fill.ts'
import type { Replacement } from '../../core/replacement.ts'
import { type Attempt, type InFlight, isCancelling } from '../../core/transaction.ts'

export interface CappedPlan {
  readonly plan: Replacement
  readonly gasLimit: bigint
  readonly cap: FeeCap | null
}

/**
 * With the gas that it has. An empty transaction needs little of that, so that one which would be above its cap gets as
 * much as fits under it; more than 21,000 where it can be, since some chains need more, and what is not used is not paid.
 */
export function planWithinCap(
  tx: InFlight,
  newest: Pick<Attempt, 'gasLimit'>,
  rules: FeeRules,
  planUnder: (capWei: bigint | null) => Replacement,
): CappedPlan {
  const planWith = (gasLimit: bigint): CappedPlan => {
    const cap = findCap(tx, gasLimit, rules)
    return { gasLimit, cap, plan: planUnder(cap?.perGasWei ?? null) }
  }
  const isCancel = isCancelling(tx)
  const planned = planWith(isCancel ? max(newest.gasLimit, NOOP_GAS) : newest.gasLimit)
  const feeWei = planned.cap?.feeWei ?? null
  if (!isCancel || planned.plan.type !== 'above_cap' || feeWei === null) return planned
  const smaller = planWith(max(feeWei / planned.plan.neededWei, NOOP_GAS))
  return smaller.gasLimit < planned.gasLimit ? smaller : planned
}

/** A caller's own fees are the most it pays; but an empty transaction in its place is the lane's affair, not the caller's. */
function findCap(tx: InFlight, gasLimit: bigint, rules: FeeRules): FeeCap | null {
  const { fees } = tx.intent
  const cap = findFeeCap(tx.intent, gasLimit, rules)
  return fees === null || isCancelling(tx) ? cap : capByRequest(cap, fees)
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
