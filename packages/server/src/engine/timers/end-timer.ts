/** The command that ends a timer, with everything that may still fire for it. */
import { findEarlier, type ManagedTimer } from '../../core/timer/timer.ts'
import type { TimerCommand } from '../../core/timer/timer-command.ts'

export function endOf(
  { id: timerId, kernelId, spec }: Pick<ManagedTimer, 'id' | 'kernelId' | 'spec'>,
  type: 'cancel' | 'pause',
): TimerCommand {
  const { owner, target } = spec
  return { type, timerId, kernelId, spec: { owner, target }, earlier: findEarlier(spec) }
}
