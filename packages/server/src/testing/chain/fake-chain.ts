/**
 * A chain in memory behind the chain port, for the engine's tests and for simulation. It has no timers and no chance of
 * its own: blocks appear when `mine` is called, and a fault happens when the given function says so for an operation.
 */

import { type DecodedTransaction, decodeTransaction } from '../../chain/decode-transaction.ts'
import type { Inclusion } from '../../core/chain/finality.ts'
import type { SendOutcome } from '../../core/chain/send-outcome.ts'
import { type FeeMarket, maxPricePerGas } from '../../core/fees/fees.ts'
import type { Address, Hash, Hex } from '../../core/hex.ts'
import type {
  AgreedBlock,
  Block,
  BlockRef,
  Call,
  CallOutcome,
  Chain,
  EventLog,
  HeadRef,
  ReceiptLookup,
  ViewCall,
  ViewOutcome,
} from '../../ports/chain.ts'
import { ChainUnavailable } from '../../ports/chain.ts'
import { createFakeLedger, type Execution, type FakeBlock } from './fake-ledger.ts'
import { createFakeMempool, type FakeMempoolRules } from './fake-mempool.ts'

export type FakeFault =
  /** A read throws; bytes are neither taken nor answered. */
  | 'unavailable'
  /** Bytes are taken; nobody says so. */
  | 'answer_lost'
  | 'rate_limited'
  /** The node is one block behind. */
  | 'stale'
  /** The transaction is in its block, but the node has no receipt for it yet. */
  | 'receipt_missing'

export interface FakeOperation {
  readonly name: Exclude<keyof Chain, 'chainId' | 'close'>
  /** For operations on one transaction. */
  readonly hash: Hash | null
}

export type Behaviour =
  | { readonly type: 'ok'; readonly gas: bigint }
  | { readonly type: 'reverted'; readonly reason: string; readonly data: Hex | null; readonly gas: bigint }
  /** The node will not try it out, in words that prove nothing; in a block it succeeds. */
  | { readonly type: 'untried'; readonly message: string; readonly gas: bigint }

export interface FakeChainOptions extends Partial<Omit<FakeMempoolRules, 'chainId'>> {
  readonly chainId: number
  readonly balances?: Readonly<Record<Address, bigint>>
  readonly blockTimeSeconds?: number
  /** Of the first block, in seconds since the epoch. */
  readonly genesisTime?: number
  /** Blocks behind the head; null: the node has no such tag. */
  readonly safeDepth?: number | null
  readonly finalizedDepth?: number | null
  readonly decode?: (raw: Hex) => DecodedTransaction | Promise<DecodedTransaction>
  /** What a call does, when estimated and when mined. */
  readonly behave?: (call: Pick<Call, 'from' | 'to' | 'data' | 'value'>) => Behaviour
  /** What a view call returns as of a height. */
  readonly view?: (call: ViewCall, height: number) => ViewOutcome | Promise<ViewOutcome>
}

export interface ReorgOptions {
  /** How many blocks take the place of those that go; as many, if not said. */
  readonly length?: number
  /** The new blocks hold the old transactions again, all in the first. */
  readonly keep?: 'included' | 'pooled' | 'dropped'
}

export interface FakeChain extends Chain {
  head(): Block
  /** Mines what is executable, best paid first; `take` may leave some in the pool. */
  mine(take?: (tx: DecodedTransaction) => boolean): Block
  /** The same with logs of whoever, in the block that it makes. */
  mineLogs(logs: readonly EventLog[]): Block
  /** Shows what would be mined as part of a block that is being built, until a block comes or the pool is lost. */
  preconfirm(take?: (tx: DecodedTransaction) => boolean): void
  reorg(depth: number, options?: ReorgOptions): void
  dropPool(): void
  pooled(): readonly DecodedTransaction[]
  setBalance(address: Address, wei: bigint): void
  setBaseFee(wei: bigint): void
  setCode(address: Address, code: Hex): void
  setFault(decide: ((operation: FakeOperation) => FakeFault | null) | null): void
}

const GWEI = 1_000_000_000n

export function createFakeChain(options: FakeChainOptions): FakeChain {
  const { chainId } = options
  const blockGasLimit = options.blockGasLimit ?? 30_000_000n
  const decode = options.decode ?? decodeTransaction
  const behave = options.behave ?? (() => ({ type: 'ok', gas: 21_000n }) as const)
  const pool = createFakeMempool({
    chainId,
    blockGasLimit,
    replacementPercent: options.replacementPercent ?? 10n,
    acceptsGaps: options.acceptsGaps ?? true,
    maxPerAccount: options.maxPerAccount ?? 10_000,
    hidesRefusals: options.hidesRefusals ?? false,
    takesOnlyNext: options.takesOnlyNext ?? false,
    minFeePerGas: options.minFeePerGas ?? 0n,
  })
  let baseFee = GWEI
  let building: ReadonlyMap<Hash, Inclusion> = new Map()
  const codes = new Map<Address, Hex>()
  let fault: ((operation: FakeOperation) => FakeFault | null) | null = null
  const logs = new Map<Hash, readonly EventLog[]>()
  const listeners = new Set<() => void>()
  const ledger = createFakeLedger({
    blockTimeSeconds: options.blockTimeSeconds ?? 1,
    genesisTime: options.genesisTime ?? 0,
    blockGasLimit,
    baseFee: () => baseFee,
    execute: (tx): Execution => {
      const behaviour = behave(tx)
      const fits = behaviour.gas <= tx.gasLimit
      return { succeeded: fits && behaviour.type !== 'reverted', gasUsed: fits ? behaviour.gas : tx.gasLimit }
    },
  })
  for (const [address, wei] of Object.entries(options.balances ?? {})) ledger.setBalance(address as Address, wei)

  function faultOf(name: FakeOperation['name'], hash: Hash | null = null): FakeFault | null {
    return fault?.({ name, hash }) ?? null
  }

  /** Throws where a read fails; true where the node is behind. */
  function openRead(name: FakeOperation['name']): boolean {
    const found = faultOf(name)
    if (found === 'unavailable' || found === 'rate_limited') throw new ChainUnavailable(`${name}: ${found}`)
    return found === 'stale'
  }

  function hint(): void {
    if (faultOf('onHeadHint') === null) for (const listener of [...listeners]) listener()
  }

  function findBlock(ref: BlockRef, stale: boolean): FakeBlock | null {
    const head = ledger.head().number - (stale ? 1 : 0)
    if (typeof ref === 'object') return ledger.byHash(ref.hash)
    if (typeof ref === 'number') return ref > head ? null : ledger.at(ref)
    if (ref === 'latest') return ledger.at(Math.max(0, head))
    const depth = ref === 'safe' ? options.safeDepth : options.finalizedDepth
    return depth === null ? null : ledger.at(Math.max(0, head - (depth ?? (ref === 'safe' ? 32 : 64))))
  }

  function countAt(address: Address, height: number): number {
    const blocksAgo = ledger.head().number - height
    if (blocksAgo < 0) throw new ChainUnavailable('getTransactionCount: block not found')
    return ledger.accountBefore(address, blocksAgo).nonce
  }

  function mine(take: (tx: DecodedTransaction) => boolean = () => true): Block {
    building = new Map()
    const block = ledger.append(chooseTransactions(take))
    for (const tx of block.transactions) {
      pool.remove(tx)
      pool.prune(tx.from, tx.nonce + 1)
    }
    hint()
    return presentBlock(block)
  }

  function mineLogs(own: readonly EventLog[]): Block {
    building = new Map()
    const block = ledger.append([])
    logs.set(block.hash, own)
    hint()
    return presentBlock(block)
  }

  /** Appended and taken back: the block that comes in the end has another hash, as on a real chain. */
  function preconfirm(take: (tx: DecodedTransaction) => boolean = () => true): void {
    building = ledger.append(chooseTransactions(take)).inclusions
    ledger.undo()
  }

  /** A sender whose transaction is left out has none of its later ones in the block. */
  function chooseTransactions(take: (tx: DecodedTransaction) => boolean): readonly DecodedTransaction[] {
    const held = new Set<Address>()
    const spent = new Map<Address, bigint>()
    let gas = blockGasLimit
    return pool
      .inMiningOrder((address) => ledger.account(address).nonce, baseFee)
      .filter((tx) => {
        if (held.has(tx.from)) return false
        const cost = (spent.get(tx.from) ?? 0n) + tx.value + tx.gasLimit * maxPricePerGas(tx.fees)
        if (tx.gasLimit <= gas && cost <= ledger.account(tx.from).balance && take(tx)) {
          gas -= tx.gasLimit
          spent.set(tx.from, cost)
          return true
        }
        held.add(tx.from)
        return false
      })
  }

  function reorg(depth: number, { length = depth, keep = 'dropped' }: ReorgOptions = {}): void {
    building = new Map()
    const undone: DecodedTransaction[] = []
    for (let count = 0; count < depth; count++) undone.unshift(...ledger.undo().transactions)
    if (keep === 'pooled') for (const tx of undone) pool.add(tx, ledger.account(tx.from))
    for (let count = 0; count < length; count++) ledger.append(count === 0 && keep === 'included' ? undone : [])
    hint()
  }

  async function send(raw: Hex, hash: Hash): Promise<SendOutcome> {
    const found = faultOf('broadcast', hash)
    if (found === 'unavailable') return { type: 'ambiguous', message: 'no answer' }
    if (found === 'rate_limited') return { type: 'rate_limited', message: 'too many requests' }
    const tx = await decodeOrNull(decode, raw)
    const outcome: SendOutcome =
      tx === null
        ? { type: 'invalid', reason: 'malformed', message: 'failed to decode transaction' }
        : pool.add(tx, ledger.account(tx.from))
    return found === 'answer_lost' ? { type: 'ambiguous', message: 'no answer' } : outcome
  }

  function lookUp(hash: Hash): ReceiptLookup {
    const found = faultOf('findReceipts', hash)
    if (found === 'unavailable' || found === 'rate_limited') return { type: 'failed', message: found }
    const inclusion = found === 'receipt_missing' ? undefined : (ledger.find(hash)?.inclusion ?? building.get(hash))
    return inclusion === undefined ? { type: 'missing' } : { type: 'found', inclusion }
  }

  function tryCall(call: Call): CallOutcome {
    if (call.value > ledger.account(call.from).balance)
      return { type: 'insufficient_funds', message: 'insufficient funds for transfer' }
    const behaviour = behave(call)
    if (behaviour.type === 'untried') return { type: 'unknown', message: behaviour.message }
    if (behaviour.type === 'reverted') return { type: 'reverted', reason: behaviour.reason, data: behaviour.data }
    if (behaviour.gas > (call.gasLimit ?? blockGasLimit))
      return { type: 'invalid', message: 'gas required exceeds allowance' }
    if (call.gasLimit !== null && call.gasLimit > blockGasLimit)
      return { type: 'invalid', message: 'exceeds block gas limit' }
    return { type: 'ok', gas: behaviour.gas }
  }

  function doubt(outcome: CallOutcome, head: HeadRef | null, stale: boolean): CallOutcome {
    if (outcome.type === 'ok' || outcome.type === 'unknown') return outcome
    if (head === null) return { ...outcome, atLatest: true }
    const isKnown = ledger.at(head.number)?.hash === head.hash && !(stale && head.number === ledger.head().number)
    return isKnown ? outcome : { type: 'unknown', message: 'the RPC node does not have this block' }
  }

  return {
    chainId,
    async getHeight() {
      return ledger.head().number - (openRead('getHeight') ? 1 : 0)
    },
    async getBlock(ref) {
      const block = findBlock(ref, openRead('getBlock'))
      return block && presentBlock(block)
    },
    async getBlocks(heights) {
      const found = faultOf('getBlocks')
      if (found === 'unavailable' || found === 'rate_limited') return []
      const blocks = heights.map((height) => findBlock(height, found === 'stale'))
      return blocks.filter((block) => block !== null).map(presentBlock)
    },
    async getTags() {
      const stale = openRead('getTags')
      return {
        safe: findBlock('safe', stale)?.number ?? null,
        finalized: findBlock('finalized', stale)?.number ?? null,
      }
    },
    async getInclusions(block, hashes) {
      openRead('getInclusions')
      const inclusions = ledger.byHash(block.hash)?.inclusions
      if (inclusions === undefined) throw new ChainUnavailable('the RPC node does not have this block')
      const visible = hashes.filter((hash) => faultOf('getInclusions', hash) !== 'receipt_missing')
      return [...new Set(visible)].flatMap((hash) => inclusions.get(hash) ?? [])
    },
    findReceipts: async (hashes) => hashes.map(lookUp),
    async findTransaction(hash) {
      openRead('findTransaction')
      const tx = ledger.find(hash)?.tx ?? pool.find(hash)
      return tx && { hash, from: tx.from, nonce: tx.nonce }
    },
    async findTransactionsAnywhere(hashes) {
      openRead('findTransactionsAnywhere')
      return hashes.map((hash) => {
        const tx = ledger.find(hash)?.tx ?? pool.find(hash)
        return tx && { hash, from: tx.from, nonce: tx.nonce }
      })
    },
    async getTransactionCount(address, tag) {
      const stale = openRead('getTransactionCount')
      if (typeof tag === 'number') return countAt(address, tag)
      if (stale) return ledger.accountBefore(address, 1).nonce
      const { nonce } = ledger.account(address)
      return tag === 'pending' ? pool.nextNonce(address, nonce) : nonce
    },
    async findNonceUser(height, address, nonce) {
      const block = findBlock(height, openRead('findNonceUser'))
      if (block === null) throw new ChainUnavailable('findNonceUser: the RPC node does not have this block')
      const tx = block.transactions.find((each) => each.from === address && each.nonce === nonce)
      const inclusion = tx && block.inclusions.get(tx.hash)
      if (tx === undefined || inclusion === undefined) return null
      const { from, to, data, value } = tx
      return { chainId, from, nonce, to, data, value, isPlain: true, minedAt: block.timestamp * 1_000, inclusion }
    },
    async getCounts(address) {
      const { nonce } = openRead('getCounts') ? ledger.accountBefore(address, 1) : ledger.account(address)
      return { latest: nonce, pending: pool.nextNonce(address, nonce) }
    },
    async findLogs(hash) {
      openRead('findLogs')
      const found = lookUp(hash)
      return found.type === 'found' ? { blockHash: found.inclusion.blockHash, logs: [] } : null
    },
    async lookAtPool(address, hashes) {
      const stale = openRead('lookAtPool')
      const latest = stale ? ledger.accountBefore(address, 1).nonce : ledger.account(address).nonce
      const pending = stale ? latest : pool.nextNonce(address, latest)
      return { latest, pending, knows: hashes.map((hash) => (ledger.find(hash)?.tx ?? pool.find(hash)) !== null) }
    },
    async getBalance(address) {
      return openRead('getBalance') ? ledger.accountBefore(address, 1).balance : ledger.account(address).balance
    },
    async getBalances(addresses, height) {
      const blocksAgo = ledger.head().number - height
      // A node that is behind does not have the block either.
      if (faultOf('getBalances') !== null || blocksAgo < 0) return addresses.map(() => null)
      return addresses.map((address) => ledger.accountBefore(address, blocksAgo).balance)
    },
    async getCode(address) {
      openRead('getCode')
      return codes.get(address) ?? '0x'
    },
    async estimate(calls, head) {
      const stale = openRead('estimate')
      const outcomes = calls.map((call) => doubt(tryCall(call), head, stale))
      if (outcomes.length > 0 && outcomes.every(({ type }) => type === 'unknown'))
        throw new ChainUnavailable('estimate: no call was run')
      return outcomes
    },
    async readAgreedBlocks(heights) {
      const stale = openRead('readAgreedBlocks')
      const blocks: AgreedBlock[] = []
      for (const height of heights) {
        const block = findBlock(height, stale)
        if (block === null) break
        const { number, hash, parentHash, timestamp } = block
        blocks.push({ number, hash, parentHash, timestamp, stateRoot: stateRootOf(hash) })
      }
      if (blocks.length === 0) throw new ChainUnavailable('readAgreedBlocks: the RPC node does not have this block')
      return blocks
    },
    async readAgreedLogs(blocks, contracts) {
      openRead('readAgreedLogs')
      return blocks.map(({ hash }) => {
        if (ledger.byHash(hash) === null)
          throw new ChainUnavailable('readAgreedLogs: the RPC node does not have this block')
        return (logs.get(hash) ?? []).filter(({ address }) => contracts.includes(address))
      })
    },
    async readAgreedViews(calls) {
      openRead('readAgreedViews')
      return await Promise.all(
        calls.map((call) => {
          const block = ledger.byHash(call.blockHash)
          if (block === null) return { type: 'unknown', message: 'the RPC node does not have this block' } as const
          return options.view?.(call, block.number) ?? ({ type: 'value', data: '0x' } as const)
        }),
      )
    },
    async readAgreedTag(tag) {
      return findBlock(tag, openRead('readAgreedTag'))?.number ?? null
    },
    async getFeeMarket(): Promise<FeeMarket> {
      openRead('getFeeMarket')
      const priorityFeePerGas = { slow: GWEI / 2n, standard: GWEI, fast: 2n * GWEI }
      return { baseFeePerGas: baseFee, gasPrice: baseFee + GWEI, priorityFeePerGas }
    },
    async broadcast(raws) {
      const outcomes: SendOutcome[] = []
      for (const { raw, hash } of raws) outcomes.push(await send(raw, hash))
      return outcomes
    },
    onHeadHint(listener) {
      const entry = () => listener()
      listeners.add(entry)
      return () => void listeners.delete(entry)
    },
    endpoints: () => [{ name: 'fake.example', state: 'healthy' }],
    close: async () => listeners.clear(),
    head: () => presentBlock(ledger.head()),
    mine,
    mineLogs,
    preconfirm,
    reorg,
    dropPool() {
      building = new Map()
      pool.clear()
    },
    pooled: () => pool.list(),
    setBalance: (address, wei) => ledger.setBalance(address, wei),
    setCode: (address, code) => void codes.set(address, code),
    setBaseFee(wei) {
      baseFee = wei
    },
    setFault(decide) {
      fault = decide
    },
  }
}

function presentBlock({ number, hash, parentHash, timestamp, txHashes, room }: FakeBlock): Block {
  return { number, hash, parentHash, timestamp, txHashes, room }
}

/** Any that differs from block to block. */
function stateRootOf(hash: Hash): Hash {
  return `0x${[...hash.slice(2)].reverse().join('')}`
}

async function decodeOrNull(
  decode: (raw: Hex) => DecodedTransaction | Promise<DecodedTransaction>,
  raw: Hex,
): Promise<DecodedTransaction | null> {
  try {
    return await decode(raw)
  } catch {
    // Whatever a decoder dislikes, the node's answer is the same: these are no transaction.
    return null
  }
}
