/** The cron adapter of §17: wall-clock times as height windows, for a runner that acts inside them. */
import { type CronSchedule, findNextTime } from './cron.ts'
import type { HeightClock } from './minutes.ts'

export interface HeightWindow {
  /** The requested moment, in unix milliseconds. */
  readonly timeMs: number
  readonly notBeforeHeight: bigint
  readonly notAfterHeight: bigint
}

export interface CronClock extends HeightClock {
  /** The timestamp of the block at `height`, in unix milliseconds. */
  readonly timestampMs: number
  /** How late still counts as on time; one minute by default. */
  readonly toleranceMs?: number
}

/** The next `count` windows; fewer if the line has no more, and each holds at least one height. */
export function listCronWindows(schedule: CronSchedule, clock: CronClock, count: number): HeightWindow[] {
  const { height, timestampMs, blockTimeMs, toleranceMs = 60_000 } = clock
  if (!Number.isSafeInteger(blockTimeMs) || blockTimeMs < 1)
    throw new RangeError('blockTimeMs must be a whole number from 1')
  const windows: HeightWindow[] = []
  let at: number | null = timestampMs
  while (windows.length < count) {
    at = findNextTime(schedule, at)
    if (at === null) break
    const first = Math.ceil((at - timestampMs) / blockTimeMs)
    const last = Math.max(first, Math.floor((at + toleranceMs - timestampMs) / blockTimeMs))
    windows.push({ timeMs: at, notBeforeHeight: height + BigInt(first), notAfterHeight: height + BigInt(last) })
  }
  return windows
}
