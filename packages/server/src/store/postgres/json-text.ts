/** JSON for PostgreSQL: bytes as `\x…`, amounts as decimal text, and no character that it would refuse. */
import type { Hex } from '../../core/hex.ts'
import type { Stored } from './stored-json.ts'

/** NUL and lone surrogates: valid in JavaScript and in JSON, refused by PostgreSQL. Nodes put both into revert reasons. */
const REFUSED = /[\0\p{Surrogate}]/gu
const MAY_BE_REFUSED = /\\u(?:0000|d[89a-f])/i

/**
 * Amounts must be text already (`toStored`): a replacer that looked for them would run for every value of every row,
 * and cost more than the rest of a write.
 */
export function toJson(value: unknown): string {
  const text = JSON.stringify(value)
  return MAY_BE_REFUSED.test(text) ? JSON.stringify(value, writeLegibly) : text
}

/** A text of a filter, as it would have been stored. */
export function toText(text: string): string {
  return text.replace(REFUSED, '\uFFFD')
}

function writeLegibly(_name: string, value: unknown): unknown {
  if (typeof value === 'string') return toText(value)
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [toText(name), field]))
}

/** The same value with every amount as text. */
export function toStored<T>(value: T): Stored<T>
export function toStored(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map((item) => toStored(item))
  const stored: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(value)) stored[name] = toStored(field)
  return stored
}

export function toBytes(hex: Hex): string
export function toBytes(hex: Hex | null): string | null
export function toBytes(hex: Hex | null): string | null {
  return hex === null ? null : `\\x${hex.slice(2)}`
}

/** The last time that PostgreSQL and JavaScript both write the same way. */
const LATEST_TIME_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** The rows of one write have few different times, and writing one takes longer than the rest of its row. */
const TIMES_KEPT = 256
const times = new Map<number, string>()

/** Later times all mean "never" and are stored as the last one. */
export function toTime(ms: number | null): string | null {
  if (ms === null) return null
  const known = times.get(ms)
  if (known !== undefined) return known
  const text = new Date(Math.min(ms, LATEST_TIME_MS)).toISOString()
  if (times.size >= TIMES_KEPT) times.clear()
  times.set(ms, text)
  return text
}
