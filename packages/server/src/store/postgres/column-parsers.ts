/** How PostgreSQL's texts become the core's values: `0x` hex, milliseconds, safe numbers. */
import { types } from 'pg'
import type { Hex } from '../../core/hex.ts'

const PARSERS: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [types.builtins.INT8, parseSafeInteger],
  [types.builtins.NUMERIC, BigInt],
  [types.builtins.BYTEA, parseBytes],
  [types.builtins.TIMESTAMPTZ, parseTime],
])

/** Given to each connection rather than set for the whole process, which may have other users of the driver. */
export const columnParsers = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    const parser = format === 'binary' ? undefined : PARSERS.get(oid)
    return parser ?? types.getTypeParser(oid, format)
  },
}

function parseSafeInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`the database holds ${text}, which is past a safe integer`)
  return value
}

/** `\x…`, as bytea_output = hex has it. */
function parseBytes(text: string): Hex {
  return `0x${text.slice(2)}`
}

/** The session's time zone is UTC, so the text always ends in `+00`; digits below a millisecond are cut off. */
function parseTime(text: string): number {
  if (text === 'infinity') return Number.POSITIVE_INFINITY
  if (text === '-infinity') return Number.NEGATIVE_INFINITY
  const ms = Date.parse(`${text.replace(' ', 'T')}:00`)
  if (Number.isNaN(ms)) throw new RangeError(`not a time this program can read: ${text}`)
  return ms
}
