/** How many slots of a lane are taken, and how many there are. */

import { windowLimits } from '../lane/window.ts'
import type { ExplainContext } from './explanation.ts'

export function countSlots({ policy, lane }: Pick<ExplainContext, 'policy' | 'lane'>): {
  readonly held: number
  readonly slots: number
} {
  const held = policy.slotHeldUntil === 'final' ? lane.inFlight : lane.unmined
  return { held, slots: lane.window?.size ?? windowLimits(policy.maxInFlight).start }
}
