/** Wei, gas and fees: decimal strings in responses. Requests may also use hex, and JSON numbers if they are exact. */
import { z } from 'zod'

const DECIMAL = /^[0-9]{1,78}$/
const HEX = /^0x[0-9a-fA-F]{1,64}$/

const NOT_AN_AMOUNT =
  'must be a whole number as a decimal string ("1000000000000000000") or hex ("0xde0b6b3a7640000"); a JSON number only up to 2^53 - 1'

export const UINT256_MAX = 2n ** 256n - 1n

/** Null if the value is not a whole number in an accepted format. */
export function parseAmount(value: unknown): bigint | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : null
  if (typeof value !== 'string' || !(DECIMAL.test(value) || HEX.test(value))) return null
  return BigInt(value)
}

export function amountInput({ min = 0n, max = UINT256_MAX }: { readonly min?: bigint; readonly max?: bigint } = {}) {
  return z
    .union([z.string(), z.int({ error: NOT_AN_AMOUNT })], { error: NOT_AN_AMOUNT })
    .meta({ description: 'Whole number: decimal string, 0x-hex string, or a JSON number up to 2^53 - 1.' })
    .transform((value, context) => {
      const amount = parseAmount(value)
      if (amount !== null && amount >= min && amount <= max) return amount
      const message = amount === null ? NOT_AN_AMOUNT : `must be between ${min} and ${max}`
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    })
}

export const amount = z
  .string()
  .regex(/^[0-9]+$/)
  .meta({ description: 'Whole number as a decimal string.' })
