/** Finds and explains why a contract reverted: nodes put the returned bytes, and their own words, in different places. */
import { decodeAbiParameters } from 'viem/utils'
import { byteLength, type Hex, isHex } from '../core/hex.ts'
import type { RpcError } from './rpc/rpc-error.ts'

const ERROR_SELECTOR = '0x08c379a0'
const PANIC_SELECTOR = '0x4e487b71'
/** Custom errors can carry much; people and databases get the beginning. */
const MAX_REASON_LENGTH = 500

/** The codes that the Solidity compiler raises. */
const PANICS: Readonly<Record<number, string>> = {
  0: 'generic panic',
  1: 'assertion failed',
  17: 'arithmetic overflow or underflow',
  18: 'division by zero',
  33: 'invalid enum value',
  34: 'badly encoded storage byte array',
  49: 'pop from an empty array',
  50: 'array index out of bounds',
  65: 'out of memory',
  81: 'call of an uninitialised function',
}

/** Bytes that the contract returned, wherever the node put them. */
export function findRevertData(error: RpcError): Hex | null {
  return findHex(error.data, 0) ?? readTrailingHex(error.message)
}

export function describeRevert(data: Hex | null, message: string): string {
  if (data === null || data === '0x') return describeMessage(message)
  const selector = data.slice(0, 10)
  const body: Hex = `0x${data.slice(10)}`
  if (selector === ERROR_SELECTOR)
    return (decodeText(body) ?? `undecodable Error(string) ${data}`).slice(0, MAX_REASON_LENGTH)
  if (selector === PANIC_SELECTOR && byteLength(body) === 32) return describePanic(BigInt(body))
  if (byteLength(data) < 4) return `returned ${data}`
  return `custom error ${selector}`
}

function describePanic(code: bigint): string {
  const meaning = code < 256n ? PANICS[Number(code)] : undefined
  return `panic 0x${code.toString(16).padStart(2, '0')}: ${meaning ?? 'unknown code'}`
}

function decodeText(body: Hex): string | null {
  try {
    return decodeAbiParameters([{ type: 'string' }], body)[0]
  } catch {
    // The bytes are the contract's choice and need not be what their selector says; the caller shows them as they are.
    return null
  }
}

function describeMessage(message: string): string {
  const quoted = /reverted with (?:reason string|custom error|panic code) '?(.*?)'?$/i.exec(message)?.[1]
  const after = /execution reverted(?:: (?:revert: )?)(.+)$/is.exec(message)?.[1]
  return (quoted ?? after ?? 'reverted without a reason').slice(0, MAX_REASON_LENGTH)
}

function findHex(value: unknown, depth: number): Hex | null {
  if (typeof value === 'string') return readHex(value) ?? readTrailingHex(value)
  if (depth > 3 || typeof value !== 'object' || value === null) return null
  const fields = value as Readonly<Record<string, unknown>>
  for (const key of ['data', 'result', 'output', 'return', 'originalError', 'error']) {
    const found = findHex(fields[key], depth + 1)
    if (found !== null) return found
  }
  return null
}

function readHex(text: string): Hex | null {
  const lower = text.toLowerCase()
  return isHex(lower) ? lower : null
}

/** "Reverted 0x08c379a0…": bytes after text. Addresses and hashes in a text do not count. */
function readTrailingHex(text: string): Hex | null {
  const hex = /revert(?:ed)?:? (0x[0-9a-f]{8,})$/i.exec(text)?.[1]
  return hex === undefined ? null : readHex(hex)
}
