/** One EVM chain, as the engine sees it. Reads throw `ChainUnavailable`; everything the chain answers is a value. */
import type { AccessList } from '../core/chain/access-list.ts'
import type { Header, Inclusion } from '../core/chain/finality.ts'
import type { SendOutcome } from '../core/chain/send-outcome.ts'
import type { FeeMarket } from '../core/fees/fees.ts'
import type { Address, Hash, Hex } from '../core/hex.ts'
import type { NonceUser } from '../core/lane/nonce-user.ts'

/** No usable answer: refused, timed out, garbage, rate limited. Says nothing about the chain. */
export class ChainUnavailable extends Error {
  /** Not to be asked again before this long, where the node said so. */
  readonly retryAfterMs: number | null

  constructor(message: string, options?: { cause?: unknown; retryAfterMs?: number | null }) {
    super(message, options)
    this.name = 'ChainUnavailable'
    this.retryAfterMs = options?.retryAfterMs ?? null
  }
}

export interface Block extends Header {
  readonly txHashes: readonly Hash[]
  /** Absent where the node does not tell. */
  readonly room?: BlockRoom
}

/** What decides whether a block could have taken one more transaction. */
export interface BlockRoom {
  readonly gasUsed: bigint
  readonly gasLimit: bigint
  /** Null before EIP-1559. */
  readonly baseFeePerGas: bigint | null
}

/** The account's next nonce as of the latest block, and with what the node's pool adds to it. */
export interface AccountCount {
  readonly latest: number
  readonly pending: number
}

/** What a node shows of an account: its counts, and which of the hashes asked for it knows, in the pool or in a block. */
export interface PoolLook extends AccountCount {
  readonly knows: readonly boolean[]
}

export type BlockRef = number | 'latest' | 'safe' | 'finalized' | { readonly hash: Hash }
/** A number is a height: the count as it was after that block, where the node still has its state. */
export type CountTag = 'latest' | 'pending' | number

export interface Call {
  readonly from: Address
  readonly to: Address | null
  readonly data: Hex
  readonly value: bigint
  readonly gasLimit: bigint | null
  readonly accessList?: AccessList
}

/** One block of the chain, by both its names. */
export type HeadRef = Pick<Header, 'number' | 'hash'>

/** Set on a failure that was seen at a node's own latest block only: that node may be behind. */
interface Doubt {
  readonly atLatest?: true
}

export type CallOutcome =
  | { readonly type: 'ok'; readonly gas: bigint }
  /** Certain at the head that was given: `reason` is decoded where it can be. */
  | ({ readonly type: 'reverted'; readonly reason: string; readonly data: Hex | null } & Doubt)
  | ({ readonly type: 'insufficient_funds'; readonly message: string } & Doubt)
  /** Certain for other causes, e.g. more gas than a block holds. */
  | ({ readonly type: 'invalid'; readonly message: string } & Doubt)
  /** The node refused to run this one in words that prove nothing; others of the batch were run. */
  | { readonly type: 'unknown'; readonly message: string }

export type ReceiptLookup =
  | { readonly type: 'found'; readonly inclusion: Inclusion }
  /** The node does not know it. Proves nothing by itself. */
  | { readonly type: 'missing' }
  /** This one could not be looked up; others in the batch may have been. */
  | { readonly type: 'failed'; readonly message: string }

export interface Log {
  readonly address: Address
  readonly topics: readonly Hash[]
  readonly data: Hex
  /** Place within the block. */
  readonly logIndex: number
}

/** What a transaction logged, and the block that this is true of. */
export interface ReceiptLogs {
  readonly blockHash: Hash
  readonly logs: readonly Log[]
}

export interface TransactionByHash {
  readonly hash: Hash
  readonly from: Address
  readonly nonce: number
}

/** A block that fires timers. */
export interface AgreedBlock extends Header {
  readonly stateRoot: Hash
}

export type EventLog = Pick<Log, 'address' | 'topics'>

/** A view call as of a block. */
export interface ViewCall {
  readonly to: Address
  readonly data: Hex
  /** What it may use at most. */
  readonly gas: bigint
  readonly blockHash: Hash
}

export type ViewOutcome =
  | { readonly type: 'value'; readonly data: Hex }
  | { readonly type: 'reverted'; readonly reason: string }
  /** The nodes do not have the state of that block any more. */
  | { readonly type: 'pruned' }
  /** It returned more than anybody needs. */
  | { readonly type: 'too_large' }
  /** The nodes did not answer this call, or not the same. */
  | { readonly type: 'unknown'; readonly message: string }

/**
 * What timers fire by. A fire spends money, so that one node's word is not enough: where several nodes are configured, two
 * have to say the same. Throws ChainUnavailable where they do not, unless there is an outcome for that.
 */
export interface AgreedReads {
  /** In order, up to the first that cannot be read; at least one. */
  readAgreedBlocks(heights: readonly number[]): Promise<readonly AgreedBlock[]>
  /** The logs of these contracts in each block, in order. */
  readAgreedLogs(
    blocks: readonly Pick<Header, 'number' | 'hash'>[],
    contracts: readonly Address[],
  ): Promise<readonly (readonly EventLog[])[]>
  /** An outcome for each. A call that no two nodes answer in the same way spoils none of the others. */
  readAgreedViews(calls: readonly ViewCall[]): Promise<readonly ViewOutcome[]>
  /** The lower height of two nodes; null if they have no such tag. */
  readAgreedTag(tag: 'safe' | 'finalized'): Promise<number | null>
}

/** Signed bytes. `from` saves reading the signer out of them, where signers have endpoints of their own. */
export interface RawBytes {
  readonly raw: Hex
  readonly hash: Hash
  readonly from?: Address
}

export interface Chain extends AgreedReads {
  readonly chainId: number
  /** The newest height, as soon as any node tells one. Throws if none does. */
  getHeight(): Promise<number>
  getBlock(ref: BlockRef): Promise<Block | null>
  /** Blocks by height, in one batch; those that could not be read are left out. Never throws. */
  getBlocks(heights: readonly number[]): Promise<readonly Block[]>
  /** Heights of the tags; null where the node has none. One round trip. */
  getTags(): Promise<{ readonly safe: number | null; readonly finalized: number | null }>
  /** Inclusions of these hashes in this very block; fewer than asked only if the node answered so. */
  getInclusions(block: Block, hashes: readonly Hash[]): Promise<readonly Inclusion[]>
  /** Receipts by hash, batched, one lookup for each hash in order. */
  findReceipts(hashes: readonly Hash[]): Promise<readonly ReceiptLookup[]>
  findTransaction(hash: Hash): Promise<TransactionByHash | null>
  /** The same of every node that answers, in order; null where none of them knows it. Throws where none answers. */
  findTransactionsAnywhere(hashes: readonly Hash[]): Promise<readonly (TransactionByHash | null)[]>
  getTransactionCount(address: Address, tag: CountTag): Promise<number>
  /**
   * The account's transaction under this nonce in the block at this height; null where the block holds none. Where
   * several nodes are configured, two have to say the same; else it throws.
   */
  findNonceUser(height: number, address: Address, nonce: number): Promise<NonceUser | null>
  /** Null where no node has a receipt for it. */
  findLogs(hash: Hash): Promise<ReceiptLogs | null>
  /** Both counts in one round trip. */
  getCounts(address: Address): Promise<AccountCount>
  /** One round trip. */
  lookAtPool(address: Address, hashes: readonly Hash[]): Promise<PoolLook>
  /** As the asked node has it now. */
  getBalance(address: Address): Promise<bigint>
  /**
   * Balances after the block of this height, in one batch and in order: what nodes that differ by some blocks agree on.
   * Null if no node knows, for example because none that responds has the block. Never throws.
   */
  getBalances(addresses: readonly Address[], height: number): Promise<readonly (bigint | null)[]>
  /** What is deployed at the address; `0x` for an ordinary account. */
  getCode(address: Address): Promise<Hex>
  /**
   * Runs the calls and estimates their gas, as one batch. What fails is tried again at the head that is followed, so that
   * no node that is behind has the last word; null where no head is known yet.
   */
  estimate(calls: readonly Call[], head: HeadRef | null): Promise<readonly CallOutcome[]>
  getFeeMarket(): Promise<FeeMarket>
  /** Sends in the order given, as one batch; an outcome for each, in order. Never throws. */
  broadcast(raws: readonly RawBytes[]): Promise<readonly SendOutcome[]>
  /** Signals that there may be a new head. Only a hint: losing one costs latency, never correctness. */
  onHeadHint(listener: () => void): () => void
  /** Its RPC nodes, by host and port: URLs may carry credentials. */
  endpoints(): readonly { readonly name: string; readonly state: string }[]
  close(): Promise<void>
}
