/** The checks that only a new timer has to pass, in order of precedence. */
import type { Hex } from '../bytes/hex.ts'
import { U64_MAX } from '../bytes/limits.ts'
import { type Refusal, refuse } from '../params/refusal.ts'
import { hasTarget, type TimerState } from '../state/timer-state.ts'
import { countWatchers } from '../watch/index-watch.ts'
import type { Schedule } from './read-arguments.ts'
import type { SetRequest } from './set-request.ts'
import type { TimerCall } from './timer-call.ts'

/** Null if it is allowed. */
export function checkNewTimer(
  state: TimerState,
  call: TimerCall,
  { target, schedule, nonce }: SetRequest,
): Refusal | null {
  const { caller, height, params } = call
  if (height < state.height || height > U64_MAX) return refuse('ERR_INVALID_PARAM', 'the height of the call has passed')
  if (schedule.kind === 'HEIGHT' && schedule.dueHeight <= height) {
    return refuse('ERR_INVALID_PARAM', `dueHeight must be at least ${height + 1n}`)
  }
  if (schedule.kind === 'INTERVAL' && height + BigInt(schedule.everyBlocks) > U64_MAX) {
    return refuse('ERR_INVALID_PARAM', 'everyBlocks leads past the last height')
  }
  const foreign = caller !== target
  if (foreign && !params.foreignTimers)
    return refuse('ERR_UNAUTHORIZED', 'only an actor itself may set its timers here')
  if (!hasTarget(state, target)) return refuse('ERR_TARGET_NOT_FOUND', `no actor at ${target}`)
  return checkQuota(state, call, target, schedule, nonce)
}

function checkQuota(
  state: TimerState,
  call: TimerCall,
  target: Hex,
  schedule: Schedule,
  nonce: bigint | undefined,
): Refusal | null {
  const { caller, params } = call
  const owner = state.owners.get(caller) ?? { live: 0, counter: 0n }
  if (owner.live >= params.maxTimersPerOwner) return refuse('ERR_QUOTA_EXCEEDED', 'the owner holds too many timers')
  const tally = state.targetTallies.get(target) ?? { live: 0, foreign: 0 }
  if (tally.live >= params.maxTimersPerTarget) return refuse('ERR_QUOTA_EXCEEDED', 'the target holds too many timers')
  if (caller !== target && tally.foreign >= Math.floor(params.maxTimersPerTarget / 2)) {
    return refuse('ERR_QUOTA_EXCEEDED', 'others hold as many timers on the target as they may')
  }
  if (schedule.kind === 'STATE_WATCH') {
    const full = schedule.watchKeys.find((key) => countWatchers(state.indexWatch, key) >= params.maxWatchersPerPrefix)
    if (full !== undefined) return refuse('ERR_QUOTA_EXCEEDED', `too many timers watch ${full}`)
  }
  if (state.nextRank > U64_MAX || (nonce === undefined && owner.counter > U64_MAX)) {
    return refuse('ERR_QUOTA_EXCEEDED', 'no numbers left to name a timer')
  }
  return null
}
