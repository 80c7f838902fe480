/** Account addresses: any case in requests, checksummed in responses. */
import { getAddress } from 'viem/utils'
import { z } from 'zod'
import { type Address, toAddress } from '../../../core/hex.ts'

const SHAPE = /^0x[0-9a-fA-F]{40}$/

/** The address, or what is wrong with it. Mixed case implies a checksum, so the checksum must be right. */
export function parseAddress(value: unknown): { readonly address: Address } | { readonly problem: string } {
  if (typeof value !== 'string' || !SHAPE.test(value)) return { problem: 'must be 0x followed by 40 hex digits' }
  const digits = value.slice(2)
  const isMixed = digits !== digits.toLowerCase() && digits !== digits.toUpperCase()
  const address = toAddress(value)
  if (isMixed && checksumAddress(address) !== value) {
    return { problem: `has a wrong checksum: check it for typos, or write it in lower case` }
  }
  return { address }
}

/** A checksum is a hash, and a service writes the same few addresses again and again. */
const CHECKSUMS_KEPT = 10_000
const checksums = new Map<Address, string>()

export function checksumAddress(address: Address): string {
  const known = checksums.get(address)
  if (known !== undefined) return known
  const checksummed = getAddress(address)
  if (checksums.size >= CHECKSUMS_KEPT) checksums.clear()
  checksums.set(address, checksummed)
  return checksummed
}

const IN_TEXT = /0x[0-9a-f]{40}(?![0-9a-fA-F])/g

/** A sentence for people, with addresses in their familiar, checksummed form. */
export function checksumText(text: string): string {
  return text.replaceAll(IN_TEXT, (found) => checksumAddress(toAddress(found)))
}

export const addressInput = z
  .string({ error: 'must be 0x followed by 40 hex digits' })
  .meta({
    description: 'Address. In mixed case, its checksum must be right.',
    examples: [`0x${'0'.repeat(40)}`],
  })
  .transform((value, context) => {
    const parsed = parseAddress(value)
    if ('address' in parsed) return parsed.address
    context.addIssue({ code: 'custom', message: parsed.problem })
    return z.NEVER
  })

export const address = z.string().regex(SHAPE).meta({ description: 'Checksummed address.' })
