/** Schedules in the form that people request them, as heights of the chain. */
import { blocksInMinutes, InvalidParamError } from '@drover/timers'
import { AppError } from '../../core/app-error.ts'
import type { ChainView, Header } from '../../core/chain/finality.ts'
import type { ManagedTimer, TimerSchedule, TimerSpec } from '../../core/timer/timer.ts'
import { findCronTime } from './cron-times.ts'

export type WantedSchedule =
  | { readonly type: 'timeout'; readonly height?: number; readonly blocks?: number; readonly minutes?: number }
  | { readonly type: 'interval'; readonly blocks?: number; readonly minutes?: number }
  | { readonly type: 'cron'; readonly cron: string }
  | (TimerSchedule & { readonly type: 'watch' })

interface SchedulePorts {
  readonly chains: ReadonlyMap<number, { readonly blockTimeMs: number }>
  viewOf(chainId: number): ChainView | null
}

export interface Schedules {
  resolve(wanted: WantedSchedule, chainId: number): TimerSchedule
  /**
   * As if it were set now. If the height of a timeout has passed meanwhile, it fires as soon as possible. A time of a cron
   * line that is still to come stays: the one before may have fired early.
   */
  resume(spec: Pick<TimerSpec, 'schedule' | 'chainId'>): TimerSchedule
  /** The time after the one that a timer by cron has fired for. */
  next(timer: Pick<ManagedTimer, 'spec' | 'kernelId'>): TimerSchedule
}

export function createSchedules({ chains, viewOf }: SchedulePorts): Schedules {
  function resolve(wanted: WantedSchedule, chainId: number): TimerSchedule {
    if (wanted.type === 'watch') return wanted
    const blockTimeMs = blockTimeOf(chainId)
    if (wanted.type === 'cron') return resolveCron(wanted.cron, headOf(chainId), blockTimeMs, 0)
    const blocks = wanted.minutes === undefined ? wanted.blocks : countBlocks(wanted.minutes, blockTimeMs)
    if (wanted.type === 'interval') return { type: 'interval', everyBlocks: blocks ?? 0 }
    if (wanted.height !== undefined) return { type: 'timeout', dueHeight: wanted.height }
    return { type: 'timeout', dueHeight: headOf(chainId).number + (blocks ?? 0), isCounted: true }
  }

  function blockTimeOf(chainId: number): number {
    return chains.get(chainId)?.blockTimeMs ?? 0
  }

  function headOf(chainId: number): Header {
    const head = viewOf(chainId)?.head
    if (head === undefined) throw new AppError('chain_unavailable', `No block of chain ${chainId} has been seen yet.`)
    return head
  }

  return {
    resolve,
    next: ({ kernelId, spec: { schedule, chainId } }) => {
      if (schedule.type !== 'cron') return schedule
      const { line, timeMs } = schedule
      return { ...resolveCron(line, headOf(chainId), blockTimeOf(chainId), timeMs), follows: kernelId }
    },
    resume: ({ schedule, chainId }) => {
      if (schedule.type === 'cron') {
        const before = schedule.timeMs - 1
        return resolveCron(schedule.line, headOf(chainId), blockTimeOf(chainId), before)
      }
      if (schedule.type !== 'timeout') return schedule
      return { ...schedule, dueHeight: Math.max(schedule.dueHeight, headOf(chainId).number + 2) }
    },
  }
}

function resolveCron(line: string, { number: height, timestamp }: Header, blockTimeMs: number, lastMs: number) {
  const found = findCronTime(line, { height, timestamp }, lastMs, blockTimeMs)
  if (found.type === 'cron') return found
  throw new AppError('invalid_request', `The cron line cannot be used: ${found.message}.`, { field: 'schedule.cron' })
}

function countBlocks(minutes: number, blockTimeMs: number): number {
  try {
    return Number(blocksInMinutes(minutes, { blockTimeMs }))
  } catch (error) {
    if (error instanceof InvalidParamError)
      throw new AppError('invalid_request', `${error.message}.`, { field: 'schedule.minutes' })
    throw error
  }
}
