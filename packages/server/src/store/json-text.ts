/** JSON as it is handed to PostgreSQL: bytes as `\x…`, amounts as decimal text, and no character that it would refuse. */
import type { Hex } from '../core/hex.ts'

/** NUL and lone surrogates: valid in JavaScript and in JSON, refused by PostgreSQL. Nodes put both into revert reasons. */
const REFUSED = /[\0\p{Surrogate}]/gu
const MAY_BE_REFUSED = /\\u(?:0000|d[89a-f])/i

export function toJson(value: unknown): string {
  const text = JSON.stringify(value, writeBigint)
  return MAY_BE_REFUSED.test(text) ? JSON.stringify(value, writeLegibly) : text
}

export function toBytes(hex: Hex): string
export function toBytes(hex: Hex | null): string | null
export function toBytes(hex: Hex | null): string | null {
  return hex === null ? null : `\\x${hex.slice(2)}`
}

/** The last time that PostgreSQL and JavaScript both write the same way. */
const LATEST_TIME_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** Later times all mean "never" and are stored as the last one. */
export function toTime(ms: number | null | undefined): string | null {
  return ms === null || ms === undefined ? null : new Date(Math.min(ms, LATEST_TIME_MS)).toISOString()
}

function writeBigint(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value
}

function writeLegibly(_name: string, value: unknown): unknown {
  if (typeof value === 'string') return value.replace(REFUSED, '\uFFFD')
  return writeBigint(_name, value)
}
