/** Byte strings and hashes as 0x-hex. */
import { z } from 'zod'
import type { Hash, Hex } from '../../../core/hex.ts'
import { isHex } from '../../../core/hex.ts'

/** Lower-case hex, or null if the value is not hex. */
export function parseBytes(value: unknown): Hex | null {
  if (typeof value !== 'string') return null
  const lower = value.toLowerCase()
  return isHex(lower) ? lower : null
}

export function parseHash(value: unknown): Hash | null {
  const bytes = parseBytes(value)
  return bytes !== null && bytes.length === 66 ? bytes : null
}

export function bytesInput(maxBytes: number) {
  return z
    .string({ error: 'must be a 0x-hex string' })
    .max(2 + 2 * maxBytes, { error: `must be at most ${maxBytes} bytes` })
    .meta({ description: `0x-hex, whole bytes, at most ${maxBytes} bytes.` })
    .transform((value, context) => {
      const bytes = parseBytes(value)
      if (bytes !== null) return bytes
      context.addIssue({ code: 'custom', message: 'must be 0x and an even number of hex digits' })
      return z.NEVER
    })
}

export const hashInput = z
  .string()
  .meta({ description: 'Transaction hash: 0x and 64 hex digits.' })
  .transform((value, context) => {
    const hash = parseHash(value)
    if (hash !== null) return hash
    context.addIssue({ code: 'custom', message: 'must be 0x followed by 64 hex digits' })
    return z.NEVER
  })

export const hash = z.string().regex(/^0x[0-9a-f]{64}$/)
export const bytes = z.string().regex(/^0x(?:[0-9a-f]{2})*$/)
