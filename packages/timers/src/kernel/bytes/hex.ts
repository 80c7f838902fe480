/** Byte strings as lower-case `0x…` text: a value that compares, hashes and prefixes exactly as the bytes do. */

import { keccak256 } from './keccak.ts'

export type Hex = `0x${string}`

const HEX_PATTERN = /^0x(?:[0-9a-f]{2})*$/i
const CANONICAL_PATTERN = /^0x[0-9a-f]*$/

/** Reads bytes from text or a byte array; null for anything else, never an exception. */
export function findHex(value: unknown): Hex | null {
  if (value instanceof Uint8Array) return hexOf(value)
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

/** Whether this is a byte string in its stored spelling, of this width if one is given. */
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

/** Values of the characters that are hex digits. */
const VALUES = Uint8Array.from({ length: 128 }, (_, code) => {
  const value = Number.parseInt(String.fromCharCode(code), 16)
  return Number.isNaN(value) ? 255 : value
})
const DIGITS = '0123456789abcdef'
/** Below the number of arguments that a call may have. */
const PIECE = 4_096

/** Bytes of hex digits, after the first `from` characters. */
export function bytesOf(digits: string, from = 0): Uint8Array {
  const bytes = new Uint8Array((digits.length - from) / 2)
  for (let at = 0; at < bytes.length; at += 1) {
    const high = VALUES[digits.charCodeAt(from + at * 2)] ?? 255
    const low = VALUES[digits.charCodeAt(from + at * 2 + 1)] ?? 255
    if ((high | low) > 15) throw new RangeError('expected hex digits')
    bytes[at] = (high << 4) | low
  }
  return bytes
}

/** Bytes as `0x…` text, in one piece: text built by many additions is slow to compare later. */
export function hexOf(bytes: Uint8Array): Hex {
  let text = ''
  for (let from = 0; from === 0 || from < bytes.length; from += PIECE) {
    const end = Math.min(bytes.length, from + PIECE)
    const codes = from === 0 ? [0x30, 0x78] : []
    for (let at = from; at < end; at += 1) {
      const byte = bytes[at] ?? 0
      codes.push(DIGITS.charCodeAt(byte >>> 4), DIGITS.charCodeAt(byte & 15))
    }
    text += String.fromCharCode.apply(null, codes)
  }
  return text as Hex
}

/** keccak256 over concatenated bare hex digits. */
export function keccakDigits(digits: string): Hex {
  return hexOf(keccak256(bytesOf(digits)))
}

/** Bare digits of a domain tag, so that hashes of different things never collide. */
export function domainDigits(tag: string): string {
  return hexOf(keccak256(Uint8Array.from(tag, (letter) => letter.charCodeAt(0)))).slice(2)
}
