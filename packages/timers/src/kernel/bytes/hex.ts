/** Byte strings as lower-case `0x…` text: a value that compares, hashes and prefixes exactly as the bytes do. */

import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'

export type Hex = `0x${string}`

const HEX_PATTERN = /^0x(?:[0-9a-f]{2})*$/i
const CANONICAL_PATTERN = /^0x[0-9a-f]*$/

/** Reads bytes from text or a byte array; null for anything else, never an exception. */
export function findHex(value: unknown): Hex | null {
  if (value instanceof Uint8Array) return `0x${bytesToHex(value)}`
  if (typeof value !== 'string' || !HEX_PATTERN.test(value)) return null
  return value.toLowerCase() as Hex
}

/** Reads bytes of one exact width, in whatever case they are spelled; null for anything else. */
export function findExactHex(value: unknown, bytes: number): Hex | null {
  const hex = findHex(value)
  return hex !== null && byteLength(hex) === bytes ? hex : null
}

/** Like `findExactHex`, for what only a host's mistake makes wrong. */
export function getExactHex(value: unknown, bytes: number, name: string): Hex {
  const hex = findExactHex(value, bytes)
  if (hex === null) throw new RangeError(`${name} must be ${bytes} bytes as 0x text`)
  return hex
}

/** Whether this is bytes in the one spelling that is stored, of this width if one is given. */
export function isCanonicalHex(value: unknown, bytes?: number): value is Hex {
  if (typeof value !== 'string' || value.length % 2 !== 0) return false
  return (bytes === undefined || value.length === 2 + bytes * 2) && CANONICAL_PATTERN.test(value)
}

export function byteLength(hex: Hex): number {
  return (hex.length - 2) / 2
}

/** Bytewise order; lower-case text of equal alphabet sorts as its bytes do. */
export function compareHex(a: Hex, b: Hex): number {
  return a < b ? -1 : a === b ? 0 : 1
}

/** A big-endian unsigned integer of fixed width, as bare hex digits; a wider one is an error, never cut or spilled over. */
export function uintDigits(value: bigint | number, bytes: number): string {
  const digits = value.toString(16)
  if (digits.length > bytes * 2 || value < 0) throw new RangeError(`${value} does not fit ${bytes} bytes`)
  return digits.padStart(bytes * 2, '0')
}

/** keccak256 over concatenated bare hex digits. */
export function keccakDigits(digits: string): Hex {
  return `0x${bytesToHex(keccak_256(hexToBytes(digits)))}`
}

/** Bare digits of a domain tag, so that hashes of different things never meet. */
export function domainDigits(tag: string): string {
  return bytesToHex(keccak_256(utf8ToBytes(tag)))
}
