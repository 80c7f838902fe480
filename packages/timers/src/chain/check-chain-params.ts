/** What this chain asks of timer parameters beyond the kernel's own checks. */
import { type Refusal, refuse } from '../kernel/params/refusal.ts'
import { checkParams, type TimerParams } from '../kernel/params/timer-params.ts'
import { TARGET_USE } from './basefee.ts'

/** The lane is taken out of every block: a wider one would leave no room for the vote that narrows it again. */
export function checkChainParams(params: TimerParams): Refusal | null {
  const fault = checkParams(params)
  if (fault !== null || params.timerLaneCycles <= TARGET_USE.cycles) return fault
  return refuse('ERR_INVALID_PARAM', `timerLaneCycles must not be above ${TARGET_USE.cycles}, half of a block`)
}
