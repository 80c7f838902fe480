/** Byte strings as lower-case `0x…` text: a value that compares, hashes and prefixes exactly as the bytes do. */
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'

export type Hex = `0x${string}`

const HEX_PATTERN = /^0x(?:[0-9a-f]{2})*$/i

/** Reads bytes from text or a byte array; null for anything else, never an exception. */
export function findHex(value: unknown): Hex | null {
  if (value instanceof Uint8Array) return `0x${bytesToHex(value)}`
  if (typeof value !== 'string' || !HEX_PATTERN.test(value)) return null
  return value.toLowerCase() as Hex
}

export function byteLength(hex: Hex): number {
  return (hex.length - 2) / 2
}

/** Bytewise order; lower-case text of equal alphabet sorts as its bytes do. */
export function compareHex(a: Hex, b: Hex): number {
  return a < b ? -1 : a === b ? 0 : 1
}

/** A big-endian unsigned integer of fixed width, as bare hex digits. */
export function uintDigits(value: bigint | number, bytes: number): string {
  return value.toString(16).padStart(bytes * 2, '0')
}

/** keccak256 over concatenated bare hex digits. */
export function keccakDigits(digits: string): Hex {
  return `0x${bytesToHex(keccak_256(hexToBytes(digits)))}`
}

/** Bare digits of a domain tag, so that hashes of different things never meet. */
export function domainDigits(tag: string): string {
  return bytesToHex(keccak_256(utf8ToBytes(tag)))
}
