/** What became known about conditions, as it is stored, and the fires that are left with it. */
import type { ConditionResult, NewFire } from '../../../ports/timer-store.ts'
import type { KnownCondition } from './condition-checks.ts'
import { skipReasonOf } from './judge-condition.ts'

export function toResult({ fire: { deliverId, blockHash }, condition }: KnownCondition): ConditionResult {
  return { deliverId, blockHash, condition, skipReason: skipReasonOf(condition) }
}

/** Without those that are skipped. */
export function withConditions(observed: readonly NewFire[], results: readonly ConditionResult[]): readonly NewFire[] {
  const known = new Map(results.map((result) => [result.deliverId, result]))
  return observed.flatMap((fire) => {
    const result = known.get(fire.deliverId)
    if (result?.blockHash !== fire.blockHash) return [fire]
    return result.skipReason === null ? [{ ...fire, condition: result.condition }] : []
  })
}
