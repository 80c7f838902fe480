/**
 * Signed transactions as bytes: RLP, in one pass. The fields are written once, into a buffer that serves for all
 * transactions. In front of them is room for the type and the length of the list, behind them comes what differs
 * between the bytes that are hashed and those that are sent: nothing and the signature.
 */
import type { AccessList } from '../core/chain/access-list.ts'
import type { UnsignedTransaction } from '../ports/signer.ts'

export interface TransactionEncoder {
  /** What has to be hashed and signed. The bytes are valid until the next call. */
  encodeUnsigned(transaction: UnsignedTransaction): Uint8Array
  /** The transaction of the last call with its signature (r and s, 32 bytes each). Valid until the next call. */
  encodeSigned(signature: Uint8Array, recovery: number): Uint8Array
}

/** Room for the type byte and the longest head of a list. */
const FRONT = 10
/** All fields besides `data` and the access list, with the signature, take less. */
const FIXED = 512
const ENTRY_BYTES = 40
const KEY_BYTES = 33

export function createTransactionEncoder(): TransactionEncoder {
  let buffer = Buffer.allocUnsafe(4_096)
  let end = FRONT
  let type: number | null = null
  let chainId = 0

  function reserve({ data, accessList = [] }: UnsignedTransaction): void {
    const keys = accessList.reduce((sum, { storageKeys }) => sum + storageKeys.length, 0)
    const needed = FIXED + data.length / 2 + accessList.length * ENTRY_BYTES + keys * KEY_BYTES
    if (buffer.length < needed) buffer = Buffer.allocUnsafe(needed * 2)
  }

  function writeNumber(value: number | bigint): void {
    if (value < 0x80) {
      buffer[end++] = value === 0 || value === 0n ? 0x80 : Number(value)
      return
    }
    const digits = value.toString(16)
    writeDigits(digits.length % 2 === 0 ? digits : `0${digits}`)
  }

  function writeDigits(digits: string): void {
    const length = digits.length / 2
    if (length !== 1 || Number.parseInt(digits, 16) >= 0x80) end = writeHead(buffer, end, 0x80, length)
    end += buffer.write(digits, end, 'hex')
  }

  /** A number of 32 bytes, without its leading zeros. */
  function writeScalar(bytes: Uint8Array, from: number): void {
    let start = from
    while (start < from + 32 && bytes[start] === 0) start++
    const length = from + 32 - start
    if (length !== 1 || (bytes[start] ?? 0) >= 0x80) end = writeHead(buffer, end, 0x80, length)
    buffer.set(bytes.subarray(start, from + 32), end)
    end += length
  }

  function writeAccessList(list: AccessList): void {
    end = writeHead(buffer, end, 0xc0, sizeOfList(list))
    for (const { address, storageKeys } of list) {
      const keysSize = storageKeys.length * KEY_BYTES
      end = writeHead(buffer, end, 0xc0, 21 + headSize(keysSize) + keysSize)
      writeDigits(address.slice(2))
      end = writeHead(buffer, end, 0xc0, keysSize)
      for (const key of storageKeys) writeDigits(key.slice(2))
    }
  }

  function writeFields({ nonce, to, data, value, gasLimit, fees, accessList }: UnsignedTransaction): void {
    if (type !== null) writeNumber(chainId)
    writeNumber(nonce)
    if (fees.type === 'eip1559') {
      writeNumber(fees.maxPriorityFeePerGas)
      writeNumber(fees.maxFeePerGas)
    } else {
      writeNumber(fees.gasPrice)
    }
    writeNumber(gasLimit)
    writeDigits(to === null ? '' : to.slice(2))
    writeNumber(value)
    writeDigits(data.slice(2))
    if (type !== null) writeAccessList(accessList ?? [])
  }

  /** Puts the head, and the type, right before the fields. */
  function close(): Uint8Array {
    const size = end - FRONT
    let start = FRONT - headSize(size)
    writeHead(buffer, start, 0xc0, size)
    if (type !== null) buffer[--start] = type
    return buffer.subarray(start, end)
  }

  return {
    encodeUnsigned(transaction) {
      reserve(transaction)
      type = typeOf(transaction)
      chainId = transaction.chainId
      end = FRONT
      writeFields(transaction)
      const fieldsEnd = end
      // Of a legacy transaction the chain is signed in the place where the signature will be (EIP-155).
      if (type === null) {
        writeNumber(chainId)
        writeNumber(0)
        writeNumber(0)
      }
      const bytes = close()
      end = fieldsEnd
      return bytes
    },
    encodeSigned(signature, recovery) {
      writeNumber(type === null ? BigInt(chainId) * 2n + BigInt(35 + recovery) : recovery)
      writeScalar(signature, 0)
      writeScalar(signature, 32)
      return close()
    },
  }
}

/** Null: a legacy transaction, from before types existed. */
function typeOf({ fees, accessList }: UnsignedTransaction): number | null {
  if (fees.type === 'eip1559') return 2
  return accessList === undefined ? null : 1
}

function sizeOfList(list: AccessList): number {
  return list.reduce((sum, { storageKeys }) => {
    const keysSize = storageKeys.length * KEY_BYTES
    const size = 21 + headSize(keysSize) + keysSize
    return sum + headSize(size) + size
  }, 0)
}

function headSize(length: number): number {
  return length < 56 ? 1 : 1 + lengthSize(length)
}

function lengthSize(length: number): number {
  return length < 0x100 ? 1 : length < 0x1_0000 ? 2 : length < 0x100_0000 ? 3 : 4
}

/** Returns where it ends. */
function writeHead(buffer: Buffer, at: number, kind: 0x80 | 0xc0, length: number): number {
  if (length < 56) {
    buffer[at] = kind + length
    return at + 1
  }
  const size = lengthSize(length)
  buffer[at] = kind + 55 + size
  return buffer.writeUIntBE(length, at + 1, size)
}
