/**
 * The simulated chain: one tree of blocks, the RPC nodes that see it, and a miner that takes what any of them keeps. It
 * has no randomness: the caller decides everything that happens.
 */
import type { DecodedTransaction } from '../../../server/src/chain/decode-transaction.ts'
import type { Inclusion } from '../../../server/src/core/chain/finality.ts'
import { maxPricePerGas } from '../../../server/src/core/fees/fees.ts'
import type { Address, Hash, Hex } from '../../../server/src/core/hex.ts'
import { effectiveTip, type FakeMempoolRules } from '../../../server/src/testing/chain/fake-mempool.ts'
import { accountAt, BLOCK_GAS_LIMIT, buildBlock, createGenesis, type Execution, type SimBlock } from './block.ts'
import { createRpcView, type RpcView } from './rpc-view.ts'

export interface NetworkOptions {
  readonly chainId: number
  readonly balances: Readonly<Record<Address, bigint>>
  /** Rules of each RPC node's mempool. */
  readonly nodes: readonly Partial<FakeMempoolRules>[]
  /** Milliseconds since the epoch, for the time of blocks. */
  now(): number
  decode(raw: Hex): DecodedTransaction | Promise<DecodedTransaction>
  execute(tx: DecodedTransaction): Execution
  /** Blocks behind the head. */
  readonly safeDepth: number
  readonly finalizedDepth: number
}

export interface MineOptions {
  /** Leaves some in the pools, and all their successors. */
  take?(tx: DecodedTransaction): boolean
}

export type ReorgKeep = 'included' | 'pooled' | 'dropped'

export interface Network {
  readonly chainId: number
  readonly views: readonly RpcView[]
  readonly safeDepth: number
  readonly finalizedDepth: number
  readonly decode: NetworkOptions['decode']
  readonly execute: NetworkOptions['execute']
  head(): SimBlock
  /** The highest block that any fork ever had. */
  highest(): number
  baseFee(): bigint
  setBaseFee(wei: bigint): void
  mine(options?: MineOptions): SimBlock
  /** Replaces this many blocks with `length` others. */
  reorg(depth: number, length: number, keep: ReorgKeep): void
  /** Gossips bytes from one node's pool to the others. */
  gossip(tx: DecodedTransaction): void
  /** Shows what would be mined now as part of a pending block, to anyone who asks for a receipt. */
  preconfirm(take: (tx: DecodedTransaction) => boolean): void
  promised(hash: Hash): Inclusion | null
  /** Follows the canonical head again, if it had stopped. */
  catchUp(view: RpcView): void
  /** A node that does not follow keeps its head. */
  setFollowing(view: RpcView, follows: boolean, behind?: number): void
  /** A reorg went past what is final: a final transaction may be in another block than it says. */
  hasBrokenFinality(): boolean
  /** On any fork. */
  everMade(hash: Hash): boolean
  canonicalAt(number: number): SimBlock | null
  canonicalBlockOf(hash: Hash): SimBlock | null
  setBalance(address: Address, wei: bigint): void
  onBlock(listener: (block: SimBlock) => void): void
}

const GWEI = 1_000_000_000n
const DEFAULT_RULES: Omit<FakeMempoolRules, 'chainId'> = {
  blockGasLimit: BLOCK_GAS_LIMIT,
  replacementPercent: 10n,
  acceptsGaps: true,
  maxPerAccount: 10_000,
  hidesRefusals: false,
  takesOnlyNext: false,
  minFeePerGas: 0n,
}

export function createNetwork(options: NetworkOptions): Network {
  const { chainId, decode, execute } = options
  let baseFee = GWEI
  const genesis = createGenesis(options.balances, Math.floor(options.now() / 1_000), baseFee)
  const rulesOf = (rules: Partial<FakeMempoolRules>): FakeMempoolRules => ({ ...DEFAULT_RULES, ...rules, chainId })
  const views = options.nodes.map((rules) => createRpcView(genesis, rulesOf(rules)))
  /** Always on the canonical head; its pool is not used. */
  const truth = createRpcView(genesis, rulesOf({}))
  const behind = new Map<RpcView, number | 'stopped'>()
  const listeners: ((block: SimBlock) => void)[] = []
  const made = new Set<Hash>([genesis.hash])
  let highest = 0
  let salt = 0
  let isBroken = false
  let building: ReadonlyMap<Hash, Inclusion> = new Map()

  function follow(view: RpcView): void {
    const lag = behind.get(view) ?? 0
    if (lag === 'stopped') return
    const head = truth.head()
    view.setHead((lag === 0 ? head : truth.at(Math.max(0, head.number - lag))) ?? head)
  }

  function extend(transactions: readonly DecodedTransaction[]): SimBlock {
    const parent = truth.head()
    const timestamp = Math.max(parent.timestamp + 1, Math.floor(options.now() / 1_000))
    const block = buildBlock({ parent, transactions, timestamp, baseFee, salt, execute })
    truth.setHead(block)
    highest = Math.max(highest, block.number)
    made.add(block.hash)
    building = new Map()
    return block
  }

  function publish(block: SimBlock): void {
    for (const view of views) follow(view)
    for (const listener of listeners) listener(block)
  }

  /** From all pools: each sender's in nonce order, the best paid one if a nonce has several. */
  function choose(take: (tx: DecodedTransaction) => boolean): readonly DecodedTransaction[] {
    const head = truth.head()
    const bySender = new Map<Address, Map<number, DecodedTransaction>>()
    for (const view of views)
      for (const tx of view.pool.list()) {
        if (!isMineable(tx)) continue
        const own = bySender.get(tx.from) ?? new Map<number, DecodedTransaction>()
        const rival = own.get(tx.nonce)
        if (rival === undefined || effectiveTip(tx.fees, baseFee) > effectiveTip(rival.fees, baseFee))
          own.set(tx.nonce, tx)
        bySender.set(tx.from, own)
      }
    const chosen: DecodedTransaction[] = []
    let gas = BLOCK_GAS_LIMIT
    for (const [sender, own] of bySender) {
      let { nonce, balance } = accountAt(head, sender)
      for (let tx = own.get(nonce); tx !== undefined; tx = own.get(++nonce)) {
        const cost = tx.value + tx.gasLimit * maxPricePerGas(tx.fees)
        if (cost > balance || tx.gasLimit > gas || !take(tx)) break
        balance -= cost
        gas -= tx.gasLimit
        chosen.push(tx)
      }
    }
    return chosen
  }

  function isMineable(tx: DecodedTransaction): boolean {
    return tx.chainId === chainId && tx.gasLimit >= 21_000n && maxPricePerGas(tx.fees) >= baseFee
  }

  return {
    chainId,
    views,
    decode,
    execute,
    safeDepth: options.safeDepth,
    finalizedDepth: options.finalizedDepth,
    head: truth.head,
    highest: () => highest,
    baseFee: () => baseFee,
    setBaseFee(wei) {
      baseFee = wei
    },
    mine({ take = () => true } = {}) {
      const block = extend(choose(take))
      publish(block)
      return block
    },
    reorg(depth, length, keep) {
      isBroken ||= depth >= options.safeDepth
      const to = Math.max(0, truth.head().number - depth)
      const undone: DecodedTransaction[] = []
      for (let number = to + 1; number <= truth.head().number; number++)
        undone.push(...(truth.at(number)?.transactions ?? []))
      salt++
      truth.setHead(truth.at(to) ?? genesis)
      let block = truth.head()
      for (let count = 0; count < length; count++) block = extend(count === 0 && keep === 'included' ? undone : [])
      publish(block)
      if (keep === 'pooled') for (const view of views) for (const tx of undone) view.add(tx)
    },
    gossip(tx) {
      for (const view of views) if (view.pool.find(tx.hash) === null) view.add(tx)
    },
    preconfirm(take) {
      salt++
      const parent = truth.head()
      const block = buildBlock({
        parent,
        transactions: choose(take),
        timestamp: parent.timestamp + 1,
        baseFee,
        salt,
        execute,
      })
      building = block.inclusions
    },
    promised: (hash) => building.get(hash) ?? null,
    catchUp(view) {
      behind.delete(view)
      follow(view)
    },
    setFollowing(view, follows, lag = 0) {
      behind.set(view, follows ? lag : 'stopped')
      follow(view)
    },
    hasBrokenFinality: () => isBroken,
    everMade: (hash) => made.has(hash),
    canonicalAt: (number) => truth.at(number),
    canonicalBlockOf: (hash) => truth.blockOf(hash),
    setBalance(address, wei) {
      const head = truth.head()
      const accounts = head.accounts as Map<Address, { nonce: number; balance: bigint }>
      accounts.set(address, { ...accountAt(head, address), balance: wei })
    },
    onBlock: (listener) => void listeners.push(listener),
  }
}
