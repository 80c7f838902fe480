/** The fake chain's blocks and balances. Every block keeps what it changed, so that a reorganisation can take it back. */
import { createHash } from 'node:crypto'
import { getContractAddress } from 'viem/utils'
import type { DecodedTransaction } from '../../chain/decode-transaction.ts'
import type { Inclusion } from '../../core/chain/finality.ts'
import { type Address, type Hash, toAddress } from '../../core/hex.ts'
import type { Block, BlockRoom } from '../../ports/chain.ts'
import type { FakeAccount } from './fake-account.ts'
import { effectiveTip } from './fake-mempool.ts'

export interface Execution {
  readonly succeeded: boolean
  readonly gasUsed: bigint
}

export interface FakeBlock extends Block {
  readonly room: BlockRoom
  readonly transactions: readonly DecodedTransaction[]
  readonly inclusions: ReadonlyMap<Hash, Inclusion>
  /** Accounts as they were before this block. */
  readonly before: ReadonlyMap<Address, FakeAccount>
}

export interface FakeLedger {
  head(): FakeBlock
  at(number: number): FakeBlock | null
  byHash(hash: Hash): FakeBlock | null
  account(address: Address): FakeAccount
  /** The account as it was this many blocks ago. */
  accountBefore(address: Address, blocksAgo: number): FakeAccount
  setBalance(address: Address, balance: bigint): void
  find(txHash: Hash): { readonly inclusion: Inclusion; readonly tx: DecodedTransaction } | null
  append(transactions: readonly DecodedTransaction[]): FakeBlock
  /** Takes back the newest block. */
  undo(): FakeBlock
}

export interface FakeLedgerOptions {
  readonly blockTimeSeconds: number
  readonly genesisTime: number
  readonly blockGasLimit: bigint
  readonly baseFee: () => bigint
  readonly execute: (tx: DecodedTransaction) => Execution
}

const EMPTY: FakeAccount = { nonce: 0, balance: 0n }
const ZERO_HASH: Hash = `0x${'0'.repeat(64)}`

export function createFakeLedger(options: FakeLedgerOptions): FakeLedger {
  const accounts = new Map<Address, FakeAccount>()
  const byTx = new Map<Hash, FakeBlock>()
  const byHash = new Map<Hash, FakeBlock>()
  /** Blocks that were taken back give their successors another hash. */
  let forks = 0
  const gasLimit = options.blockGasLimit
  const room = { gasUsed: 0n, gasLimit, baseFeePerGas: options.baseFee() }
  const genesis: FakeBlock = {
    ...hashBlock(0, ZERO_HASH, [], 0),
    ...EMPTY_CONTENT,
    timestamp: options.genesisTime,
    room,
  }
  const blocks: FakeBlock[] = [genesis]
  byHash.set(genesis.hash, genesis)
  const head = () => blocks.at(-1) ?? genesis
  const account = (address: Address) => accounts.get(address) ?? EMPTY

  function append(transactions: readonly DecodedTransaction[]): FakeBlock {
    const parent = head()
    const number = parent.number + 1
    const identity = hashBlock(number, parent.hash, transactions, forks)
    const before = new Map<Address, FakeAccount>()
    const inclusions = new Map<Hash, Inclusion>()
    const baseFee = options.baseFee()
    for (const [txIndex, tx] of transactions.entries()) {
      const { succeeded, gasUsed } = options.execute(tx)
      const effectiveGasPrice = baseFee + effectiveTip(tx.fees, baseFee)
      apply(tx, succeeded, gasUsed * effectiveGasPrice, before)
      const contractAddress = succeeded && tx.to === null ? contractOf(tx) : null
      const place = { blockNumber: number, blockHash: identity.hash, txIndex, contractAddress }
      inclusions.set(tx.hash, { ...place, txHash: tx.hash, succeeded, gasUsed, effectiveGasPrice })
    }
    const timestamp = options.genesisTime + number * options.blockTimeSeconds
    const gasUsed = [...inclusions.values()].reduce((sum, inclusion) => sum + inclusion.gasUsed, 0n)
    const block: FakeBlock = {
      ...identity,
      timestamp,
      transactions,
      inclusions,
      before,
      room: { gasUsed, gasLimit, baseFeePerGas: baseFee },
    }
    blocks.push(block)
    byHash.set(block.hash, block)
    for (const { hash } of transactions) byTx.set(hash, block)
    return block
  }

  function apply(tx: DecodedTransaction, succeeded: boolean, feeWei: bigint, before: Map<Address, FakeAccount>): void {
    const touch = (address: Address, change: (old: FakeAccount) => FakeAccount) => {
      const old = account(address)
      if (!before.has(address)) before.set(address, old)
      accounts.set(address, change(old))
    }
    const sent = succeeded ? tx.value : 0n
    touch(tx.from, (old) => ({ nonce: tx.nonce + 1, balance: old.balance - feeWei - sent }))
    touch(tx.to ?? contractOf(tx), (old) => ({ ...old, balance: old.balance + sent }))
  }

  return {
    head,
    account,
    append,
    at: (number) => blocks[number] ?? null,
    byHash: (hash) => byHash.get(hash) ?? null,
    accountBefore(address, blocksAgo) {
      const undone = blocks.slice(Math.max(1, blocks.length - blocksAgo))
      return undone.find((block) => block.before.has(address))?.before.get(address) ?? account(address)
    },
    setBalance: (address, balance) => void accounts.set(address, { ...account(address), balance }),
    find(txHash) {
      const block = byTx.get(txHash)
      const inclusion = block?.inclusions.get(txHash)
      const tx = inclusion && block?.transactions[inclusion.txIndex]
      return inclusion === undefined || tx === undefined ? null : { inclusion, tx }
    },
    undo() {
      const block = blocks.length > 1 ? blocks.pop() : undefined
      if (block === undefined) throw new Error('the genesis block cannot be taken back')
      for (const [address, old] of block.before) accounts.set(address, old)
      for (const { hash } of block.transactions) byTx.delete(hash)
      byHash.delete(block.hash)
      forks++
      return block
    },
  }
}

const EMPTY_CONTENT = { transactions: [], inclusions: new Map(), before: new Map() }

function hashBlock(number: number, parentHash: Hash, transactions: readonly DecodedTransaction[], forks: number) {
  const txHashes = transactions.map((tx) => tx.hash)
  const digest = createHash('sha256')
    .update([number, parentHash, forks, ...txHashes].join())
    .digest('hex')
  return { number, parentHash, txHashes, hash: `0x${digest}` as const }
}

function contractOf(tx: DecodedTransaction): Address {
  return toAddress(getContractAddress({ from: tx.from, nonce: BigInt(tx.nonce) }))
}
