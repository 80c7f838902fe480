/** Reads the prices out of a gas oracle's answer. Whatever is not exactly a price is a problem, never a guess. */
import type { OracleQuote } from '../../core/fees/apply-oracle.ts'

/** Names of fields, from the outside in. Null: the oracle does not have it. */
export interface OracleFields {
  readonly maxFee: readonly string[] | null
  readonly priorityFee: readonly string[] | null
}

export type OracleUnit = 'gwei' | 'wei'

/** The message says which field; it repeats nothing of the answer, which can be anything. */
export class BadQuote extends Error {}

const DECIMAL = /^(\d{1,30})(?:\.(\d{1,30}))?$/
const HEX = /^0x[0-9a-f]{1,32}$/i
const DECIMALS = { gwei: 9, wei: 0 } as const

export function readQuote(body: string, fields: OracleFields, unit: OracleUnit): OracleQuote {
  let answer: unknown
  try {
    answer = JSON.parse(body)
  } catch {
    throw new BadQuote('its answer is not JSON')
  }
  const read = (path: readonly string[] | null) => (path === null ? null : readPrice(find(answer, path), path, unit))
  return { maxFeePerGas: read(fields.maxFee), priorityFeePerGas: read(fields.priorityFee) }
}

function find(answer: unknown, path: readonly string[]): unknown {
  let value = answer
  for (const name of path) {
    const isHolder = typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    if (!isHolder) throw new BadQuote(`its answer has no ${path.join('.')}`)
    value = (value as Readonly<Record<string, unknown>>)[name]
  }
  return value
}

function readPrice(value: unknown, path: readonly string[], unit: OracleUnit): bigint {
  const bad = () => new BadQuote(`${path.join('.')} in its answer is not a price in ${unit}`)
  if (typeof value === 'string' && HEX.test(value)) {
    if (unit === 'gwei') throw bad()
    return BigInt(value)
  }
  // Numbers as JavaScript prints them: a large or tiny one has an exponent, and is refused.
  const [, whole, fraction = ''] = DECIMAL.exec(typeof value === 'number' ? String(value) : asText(value)) ?? []
  const decimals = DECIMALS[unit]
  if (whole === undefined || (decimals === 0 && /[^0]/.test(fraction))) throw bad()
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'))
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value.trim() : ''
}
