/** Governance by epoch (R16): a change voted in one epoch acts from the first block of the next. */
import type { Refusal } from './refusal.ts'
import { checkParams, mergeParams, type TimerParams } from './timer-params.ts'

export interface ParamSchedule {
  readonly epochLength: bigint
  readonly active: EpochParams
  /** Voted, and waiting for its epoch. */
  readonly next: EpochParams | null
}

export interface EpochParams {
  readonly fromEpoch: bigint
  readonly params: TimerParams
}

export function createParamSchedule(epochLength: bigint, params: TimerParams): ParamSchedule {
  const fault = checkParams(params)
  if (fault !== null) throw new RangeError(fault.message)
  if (epochLength < 1n) throw new RangeError('epochLength must be at least 1')
  return { epochLength, active: { fromEpoch: 0n, params }, next: null }
}

export function epochOf(schedule: ParamSchedule, height: bigint): bigint {
  return height / schedule.epochLength
}

/** The parameters that a block at this height reads, once, for all it does. */
export function paramsAt({ epochLength, active, next }: ParamSchedule, height: bigint): TimerParams {
  return next !== null && height / epochLength >= next.fromEpoch ? next.params : active.params
}

export type VoteOutcome =
  | {
      readonly type: 'voted'
      readonly schedule: ParamSchedule
      readonly fromHeight: bigint
      readonly params: TimerParams
    }
  | Refusal

/** Later votes of one epoch build on earlier ones; a change that would be unsafe is refused whole. */
export function voteParams(schedule: ParamSchedule, height: bigint, change: unknown): VoteOutcome {
  const { epochLength } = schedule
  const epoch = height / epochLength
  const { active, next } = settle(schedule, epoch)
  const merged = mergeParams((next ?? active).params, change)
  if (merged.type === 'refused') return merged
  const voted = { fromEpoch: epoch + 1n, params: merged.params }
  return {
    type: 'voted',
    schedule: { epochLength, active, next: voted },
    fromHeight: voted.fromEpoch * epochLength,
    params: merged.params,
  }
}

function settle({ active, next }: ParamSchedule, epoch: bigint): Pick<ParamSchedule, 'active' | 'next'> {
  return next !== null && epoch >= next.fromEpoch ? { active: next, next: null } : { active, next }
}
