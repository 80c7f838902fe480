/** Lengths of time as people write them (`500ms`, `15s`, `5m`), held as milliseconds. */
import { accept, refuse, type SettingType } from './setting-type.ts'

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
type Unit = keyof typeof UNITS
const LARGEST_FIRST: readonly Unit[] = ['d', 'h', 'm', 's', 'ms']

export function duration(minMs: number, maxMs: number): SettingType<number> {
  return {
    label: `duration, ${printDuration(minMs)} to ${printDuration(maxMs)}`,
    parse(input) {
      const ms = parseMilliseconds(input)
      if (ms === null) return refuse('must be a duration such as 500ms, 15s, 5m or 2h, or a number of milliseconds')
      if (ms < minMs || ms > maxMs)
        return refuse(`must be a duration from ${printDuration(minMs)} to ${printDuration(maxMs)}`)
      return accept(ms)
    },
    print: printDuration,
  }
}

function parseMilliseconds(input: unknown): number | null {
  if (typeof input === 'number') return Number.isSafeInteger(input) && input >= 0 ? input : null
  if (typeof input !== 'string') return null
  const match = /^(\d{1,12}(?:\.\d{1,3})?) ?(ms|s|m|h|d)?$/.exec(input.trim())
  if (match === null) return null
  const unit = LARGEST_FIRST.find((candidate) => candidate === match[2]) ?? 'ms'
  const ms = Number(match[1]) * UNITS[unit]
  // "1.5ms" has no meaning here, and "0.1s" must not become 100.00000000000001.
  return Math.abs(ms - Math.round(ms)) < 1e-6 ? Math.round(ms) : null
}

/** In the largest unit that gives a whole number, so that what is printed can be read back. */
export function printDuration(ms: number): string {
  if (ms === 0) return '0ms'
  const unit = LARGEST_FIRST.find((candidate) => ms % UNITS[candidate] === 0) ?? 'ms'
  return `${ms / UNITS[unit]}${unit}`
}
