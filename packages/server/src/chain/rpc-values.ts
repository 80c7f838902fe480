/** Reads JSON-RPC results without trusting them: whatever is not exactly what was asked for is a bad answer. */
import type { Inclusion } from '../core/chain/finality.ts'
import { type Address, type Hash, type Hex, isAddress, isHex } from '../core/hex.ts'
import type { AgreedBlock, Block, BlockRoom, EventLog, Log, ReceiptLogs, TransactionByHash } from '../ports/chain.ts'

/** A result that cannot be true. */
export class BadAnswer extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'BadAnswer'
  }
}

/** The node honestly does not have it; another one may. */
export class NotKnown extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'NotKnown'
  }
}

const BYTES = /^0x(?:[0-9a-f]{2})*$/i
const QUANTITY = /^0x[0-9a-fA-F]{1,64}$/

export function parseQuantity(value: unknown, name: string): bigint {
  if (typeof value !== 'string' || !QUANTITY.test(value)) throw new BadAnswer(`${name} is not a quantity`)
  return BigInt(value)
}

/** Null for anything that is not a whole number which JavaScript can hold exactly. */
export function parseCount(value: unknown): number | null {
  if (typeof value !== 'string' || !QUANTITY.test(value)) return null
  const count = Number(value)
  return Number.isSafeInteger(count) ? count : null
}

export function getCount(value: unknown, name: string): number {
  const count = parseCount(value)
  if (count === null) throw new BadAnswer(`${name} is not a number`)
  return count
}

function parseHash(value: unknown, name: string): Hash {
  const text = typeof value === 'string' ? value.toLowerCase() : ''
  if (text.length !== 66 || !isHex(text)) throw new BadAnswer(`${name} is not a hash`)
  return text
}

function parseAddress(value: unknown, name: string): Address {
  const text = typeof value === 'string' ? value.toLowerCase() : ''
  if (!isAddress(text)) throw new BadAnswer(`${name} is not an address`)
  return text
}

export function getFields(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new BadAnswer(`${name} is not an object`)
  return value as Readonly<Record<string, unknown>>
}

export function parseBlock(value: unknown): Block {
  const fields = getFields(value, 'block')
  if (!Array.isArray(fields.transactions)) throw new BadAnswer('block.transactions is not a list')
  return {
    number: getCount(fields.number, 'block.number'),
    hash: parseHash(fields.hash, 'block.hash'),
    parentHash: parseHash(fields.parentHash, 'block.parentHash'),
    timestamp: getCount(fields.timestamp, 'block.timestamp'),
    txHashes: fields.transactions.map((hash: unknown) => parseHash(hash, 'block.transactions[]')),
    ...parseRoom(fields),
  }
}

function parseRoom({ gasUsed, gasLimit, baseFeePerGas: price }: Record<string, unknown>): { room?: BlockRoom } {
  if (gasUsed === undefined || gasLimit === undefined) return {}
  const baseFeePerGas = price === undefined || price === null ? null : parseQuantity(price, 'block.baseFeePerGas')
  return {
    room: {
      gasUsed: parseQuantity(gasUsed, 'block.gasUsed'),
      gasLimit: parseQuantity(gasLimit, 'block.gasLimit'),
      baseFeePerGas,
    },
  }
}

/** Null for a receipt that is not of a block yet. */
export function parseReceipt(value: unknown): Inclusion | null {
  const fields = getFields(value, 'receipt')
  if (fields.blockHash === null || fields.blockHash === undefined) return null
  const { contractAddress: created, effectiveGasPrice: price } = fields
  const succeeded = parseStatus(fields.status)
  return {
    txHash: parseHash(fields.transactionHash, 'receipt.transactionHash'),
    blockNumber: getCount(fields.blockNumber, 'receipt.blockNumber'),
    blockHash: parseHash(fields.blockHash, 'receipt.blockHash'),
    txIndex: getCount(fields.transactionIndex, 'receipt.transactionIndex'),
    succeeded,
    gasUsed: parseQuantity(fields.gasUsed, 'receipt.gasUsed'),
    // Nodes from before the fee market do not give it; the price was then the transaction's own, which we know.
    effectiveGasPrice: price === undefined ? 0n : parseQuantity(price, 'receipt.effectiveGasPrice'),
    // Some nodes name the address of a deployment that failed: there is nothing at it.
    contractAddress:
      succeeded && created !== null && created !== undefined ? parseAddress(created, 'receipt.contractAddress') : null,
  }
}

/** Null for a receipt that is not of a block yet. */
export function parseReceiptLogs(value: unknown, asked: Hash): ReceiptLogs | null {
  const fields = getFields(value, 'receipt')
  if (fields.blockHash === null || fields.blockHash === undefined) return null
  if (parseHash(fields.transactionHash, 'receipt.transactionHash') !== asked)
    throw new BadAnswer('the receipt belongs to another transaction')
  if (!Array.isArray(fields.logs)) throw new BadAnswer('receipt.logs is not a list')
  return { blockHash: parseHash(fields.blockHash, 'receipt.blockHash'), logs: fields.logs.map(parseLog) }
}

/** A block with what commits to its state. */
export function parseAgreedBlock(value: unknown): AgreedBlock {
  const { number, hash, parentHash, timestamp } = parseBlock(value)
  const stateRoot = parseHash(getFields(value, 'block').stateRoot, 'block.stateRoot')
  return { number, hash, parentHash, timestamp, stateRoot }
}

/** Logs of one block, in its order. */
export function parseBlockLogs(value: unknown, blockHash: Hash): readonly EventLog[] {
  if (!Array.isArray(value)) throw new BadAnswer('the logs are not a list')
  const logs = value.map((each: unknown) => {
    const log = parseLog(each)
    if (parseHash(getFields(each, 'log').blockHash, 'log.blockHash') !== blockHash)
      throw new BadAnswer('a log belongs to another block')
    return log
  })
  return logs.sort((a, b) => a.logIndex - b.logIndex).map(({ address, topics }) => ({ address, topics }))
}

function parseLog(value: unknown): Log {
  const { address, topics, data, logIndex } = getFields(value, 'log')
  if (!Array.isArray(topics) || topics.length > 4) throw new BadAnswer('log.topics is not a list of up to four')
  if (typeof data !== 'string' || !BYTES.test(data)) throw new BadAnswer('log.data is not hex')
  return {
    address: parseAddress(address, 'log.address'),
    topics: topics.map((topic: unknown) => parseHash(topic, 'log.topics[]')),
    data: data as Hex,
    logIndex: getCount(logIndex, 'log.logIndex'),
  }
}

/** Anything but a clear yes or no must not become one: a receipt without status says nothing about success. */
function parseStatus(value: unknown): boolean {
  const status = parseCount(value)
  if (status !== 0 && status !== 1) throw new BadAnswer('receipt.status is neither 0 nor 1')
  return status === 1
}

export function parseTransactionByHash(value: unknown, asked: Hash): TransactionByHash {
  const fields = getFields(value, 'transaction')
  const hash = parseHash(fields.hash, 'transaction.hash')
  if (hash !== asked) throw new BadAnswer('the RPC node returned a different transaction')
  return {
    hash,
    from: parseAddress(fields.from, 'transaction.from'),
    nonce: getCount(fields.nonce, 'transaction.nonce'),
  }
}

/** A block with its transactions, not only their hashes. */
export function parseWholeBlock(value: unknown) {
  const fields = getFields(value, 'block')
  if (!Array.isArray(fields.transactions)) throw new BadAnswer('block.transactions is not a list')
  const transactions: readonly unknown[] = fields.transactions
  return {
    number: getCount(fields.number, 'block.number'),
    hash: parseHash(fields.hash, 'block.hash'),
    timestamp: getCount(fields.timestamp, 'block.timestamp'),
    transactions,
  }
}

export interface SentTransaction extends TransactionByHash {
  readonly to: Address | null
  readonly data: Hex
  readonly value: bigint
  /** Nothing but a call: no blobs, no delegations. */
  readonly isPlain: boolean
}

/** Legacy, access list, EIP-1559: target, value and data say what they do. */
const PLAIN_TYPES = [0, 1, 2]

export function parseSentTransaction(value: unknown): SentTransaction {
  const fields = getFields(value, 'transaction')
  const { to, input, type } = fields
  const data = typeof input === 'string' ? input.toLowerCase() : ''
  if (!isHex(data)) throw new BadAnswer('transaction.input is not hex')
  return {
    hash: parseHash(fields.hash, 'transaction.hash'),
    from: parseAddress(fields.from, 'transaction.from'),
    nonce: getCount(fields.nonce, 'transaction.nonce'),
    to: to === null || to === undefined ? null : parseAddress(to, 'transaction.to'),
    data,
    value: parseQuantity(fields.value, 'transaction.value'),
    isPlain: type === undefined || PLAIN_TYPES.includes(getCount(type, 'transaction.type')),
  }
}

export function toQuantity(value: bigint | number): Hex {
  return `0x${value.toString(16)}`
}
