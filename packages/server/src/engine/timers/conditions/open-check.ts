/** A fire whose condition is not known yet, and how many of them a tenant may have. */
import type { Condition, ConditionOutcome, KernelId } from '../../../core/timer/timer.ts'
import type { Incarnation, NewFire } from '../../../ports/timer-store.ts'
import { failCondition } from './judge-condition.ts'

export interface OpenCheck {
  readonly fire: NewFire
  /** Empty: the service has no keys. */
  readonly tenant: string
  readonly when: Condition
}

/** Of one tenant, on one chain. */
export const MAX_OPEN_CHECKS = 1_000

export const TOO_MANY_CHECKS: ConditionOutcome = failCondition(
  `Over ${MAX_OPEN_CHECKS.toLocaleString('en')} fires of this tenant already wait for their conditions.`,
)

/** Those of these fires that wait for a condition. */
export async function findOpenChecks(
  fires: readonly NewFire[],
  findIncarnations: (ids: readonly KernelId[]) => Promise<ReadonlyMap<KernelId, Incarnation>>,
): Promise<readonly OpenCheck[]> {
  const unknown = fires.filter(({ condition }) => condition === null)
  if (unknown.length === 0) return []
  const known = await findIncarnations([...new Set(unknown.map(({ kernelId }) => kernelId))])
  return unknown.flatMap((fire) => {
    const { tenant = '', spec } = known.get(fire.kernelId) ?? {}
    const when = spec?.when ?? null
    return when === null ? [] : [{ fire, tenant, when }]
  })
}
