/**
 * Cron lines as heights. A line names times; blocks come when they come. So the next time is converted to a height by the
 * block time of the chain, when the timer is set and again after each fire: an error does not grow from one time to the
 * next. It fires early if blocks come faster than that, and late if they come slower or if more is due than fits.
 */
import { findNextTime, parseCron } from '@drover/timers'
import type { TimerSchedule } from '../../core/timer/timer.ts'

export interface BlockTime {
  readonly height: number
  /** In seconds. */
  readonly timestamp: number
}

type CronTime = TimerSchedule & { readonly type: 'cron' }
export type CronTimeOutcome = CronTime | { readonly type: 'invalid'; readonly message: string }

/** The first time after `block`, and after `lastMs`: a block may be earlier than the time that it fired for. */
export function findCronTime(line: string, block: BlockTime, lastMs: number, blockTimeMs: number): CronTimeOutcome {
  const cron = parseCron(line)
  if (cron.type === 'invalid') return { type: 'invalid', message: `${cron.field}: ${cron.message}` }
  const nowMs = block.timestamp * 1_000
  const timeMs = findNextTime(cron.schedule, Math.max(nowMs, lastMs))
  if (timeMs === null) return { type: 'invalid', message: 'no time matches it' }
  const blocks = Math.max(1, Math.ceil((timeMs - nowMs) / blockTimeMs))
  return { type: 'cron', line, timeMs, dueHeight: block.height + blocks }
}
