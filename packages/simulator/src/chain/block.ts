/** Blocks of the simulated chain: a tree in which every block knows the state of the accounts after it. */
import { createHash } from 'node:crypto'
import type { DecodedTransaction } from '../../../server/src/chain/decode-transaction.ts'
import type { Inclusion } from '../../../server/src/core/chain/finality.ts'
import type { Address, Hash } from '../../../server/src/core/hex.ts'
import { effectiveTip } from '../../../server/src/testing/chain/fake-mempool.ts'

export interface Account {
  readonly nonce: number
  readonly balance: bigint
}

export interface SimBlock {
  readonly number: number
  readonly hash: Hash
  readonly parent: SimBlock | null
  /** Seconds since the epoch. */
  readonly timestamp: number
  readonly baseFee: bigint
  readonly gasUsed: bigint
  readonly transactions: readonly DecodedTransaction[]
  readonly inclusions: ReadonlyMap<Hash, Inclusion>
  readonly accounts: ReadonlyMap<Address, Account>
}

export interface Execution {
  readonly succeeded: boolean
  readonly gasUsed: bigint
}

export const BLOCK_GAS_LIMIT = 30_000_000n
const NEW_ACCOUNT: Account = { nonce: 0, balance: 0n }

export function accountAt(block: SimBlock, address: Address): Account {
  return block.accounts.get(address) ?? NEW_ACCOUNT
}

export function createGenesis(
  balances: Readonly<Record<Address, bigint>>,
  timestamp: number,
  baseFee: bigint,
): SimBlock {
  const accounts = new Map<Address, Account>()
  for (const [address, balance] of Object.entries(balances)) accounts.set(address as Address, { nonce: 0, balance })
  const content = { transactions: [], inclusions: new Map(), accounts, gasUsed: 0n, timestamp, baseFee }
  return { number: 0, hash: digest('genesis'), parent: null, ...content }
}

export interface NewBlock {
  readonly parent: SimBlock
  readonly transactions: readonly DecodedTransaction[]
  readonly timestamp: number
  readonly baseFee: bigint
  /** Makes otherwise equal blocks different. */
  readonly salt: number
  execute(tx: DecodedTransaction): Execution
}

export function buildBlock({ parent, transactions, timestamp, baseFee, salt, execute }: NewBlock): SimBlock {
  const number = parent.number + 1
  const hash = digest(`${number} ${parent.hash} ${salt} ${transactions.map((tx) => tx.hash).join()}`)
  const accounts = new Map(parent.accounts)
  const inclusions = new Map<Hash, Inclusion>()
  let blockGas = 0n
  for (const [txIndex, tx] of transactions.entries()) {
    const { succeeded, gasUsed } = execute(tx)
    const effectiveGasPrice = baseFee + effectiveTip(tx.fees, baseFee)
    pay(accounts, tx, succeeded, gasUsed * effectiveGasPrice)
    blockGas += gasUsed
    const contractAddress = succeeded && tx.to === null ? contractOf(tx) : null
    const place = { blockNumber: number, blockHash: hash, txIndex, contractAddress }
    inclusions.set(tx.hash, { ...place, txHash: tx.hash, succeeded, gasUsed, effectiveGasPrice })
  }
  return { number, hash, parent, timestamp, baseFee, gasUsed: blockGas, transactions, inclusions, accounts }
}

function pay(accounts: Map<Address, Account>, tx: DecodedTransaction, succeeded: boolean, feeWei: bigint): void {
  const sender = accounts.get(tx.from) ?? NEW_ACCOUNT
  const sent = succeeded ? tx.value : 0n
  accounts.set(tx.from, { nonce: tx.nonce + 1, balance: sender.balance - feeWei - sent })
  if (sent === 0n) return
  const to = tx.to ?? contractOf(tx)
  const receiver = accounts.get(to) ?? NEW_ACCOUNT
  accounts.set(to, { ...receiver, balance: receiver.balance + sent })
}

function contractOf(tx: DecodedTransaction): Address {
  return `0x${digest(`contract ${tx.from} ${tx.nonce}`).slice(26)}`
}

function digest(text: string): Hash {
  return `0x${createHash('sha256').update(text).digest('hex')}`
}
