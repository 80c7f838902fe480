/**
 * The authoritative store. Two kinds of write only: acceptance, which any node may do, and lane writes, which carry the
 * lease they were decided under and happen inside one database transaction that holds that lease, or not at all.
 * An operator's amendment is the one exception: it carries no lease, and is held to the version that it was decided on.
 */
import type { Reach } from '../core/access/caller.ts'
import type { Header } from '../core/chain/finality.ts'
import type { SilentNode } from '../core/explain/describe-problem.ts'
import type { Address, Hash } from '../core/hex.ts'
import type { Lane, Lease } from '../core/lane/lane.ts'
import type { Policy } from '../core/lane/policy.ts'
import type { LowestReserved } from '../core/lane/reservation.ts'
import type { Approval } from '../core/rules/approval.ts'
import type { SpendingWrite } from '../core/rules/judge.ts'
import type { SubjectId } from '../core/rules/rule-set.ts'
import type { Intent, Queued, SubState, Transaction, TxId, TxState } from '../core/transaction/transaction.ts'
import type { HistoryNote } from '../core/transaction/tx-event.ts'
import type { HistoryEntry, HistoryPage, ListOrder, MinedTransaction } from './history.ts'
import type { ChainTimes, NonceLine, QueueDepth, QueueOptions } from './lane-queue.ts'
import type { LaneRequestStore } from './lane-requests.ts'
import type {
  AcquiredLease,
  AmendResult,
  LaneHealth,
  LaneWrite,
  LaneWriteResult,
  LoadedLane,
  NonceMark,
  RenewedLease,
  TxSave,
} from './lane-write.ts'
import type { Notice } from './notice.ts'
import type { RetentionStore } from './retention-store.ts'
import type { SpendingStore } from './spending-store.ts'

/** The store cannot answer now (connection lost, failing over, time-out). A write may or may not have happened. */
export class StoreUnavailable extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'StoreUnavailable'
  }
}

export interface NewTransaction {
  readonly id: TxId
  readonly intent: Intent
  /** Who requested it, for its history. */
  readonly by?: string
  /** Whose request id it is; left out: that of a service without keys. */
  readonly tenant?: string
  /** The API key that sent it: its rules bind it. */
  readonly keyId?: string
  /** The most that it is expected to cost in fees, for rules; not stored. */
  readonly feeWei?: bigint
  /** The subjects whose rules allowed it; not stored. */
  readonly judgedBy?: readonly SubjectId[]
  /** It waits until it is approved. */
  readonly approval?: Approval
}

export type InsertOutcome =
  | { readonly type: 'inserted'; readonly transaction: Queued }
  /** Same lane, tenant, request id and digest: the caller's own earlier request. */
  | { readonly type: 'existing'; readonly transaction: Transaction }
  | { readonly type: 'conflict'; readonly transactionId: TxId }
  /** The caller's own earlier request. Its transaction was finished, and has been deleted. */
  | { readonly type: 'deleted'; readonly transactionId: TxId }
  | { readonly type: 'unknown_signer' }
  /** Rules bind it that it was not held against, or the books have changed since: nothing was stored. */
  | { readonly type: 'not_judged' }

export interface LiveNode {
  readonly nodeId: string
  readonly startedAt: number
  readonly heartbeatAt: number
  /** Where peers and operators can reach it, if it said so. */
  readonly address: string | null
  /** Chains whose RPC nodes answer it; null where it does not say. */
  readonly chains: readonly number[] | null
}

export interface SignerRecord {
  readonly lane: Lane
  readonly policy: Policy
  readonly label: string | null
  readonly paused: boolean
  readonly createdAt: number
  /** Left out: it is in use. */
  readonly removedAt?: number
  /** The node that runs it could not sign. Only in lists of signers; left out: it could, or did not try. */
  readonly isKeyAway?: true
  /** Its bytes go only to its own send endpoints, whichever node sends them. Left out: to any. */
  readonly sendsPrivately?: true
}

export type RemoveOutcome =
  | { readonly type: 'removed'; readonly lanes: readonly Lane[] }
  /** It has transactions that are not final, reserved nonces or timers: so many. Nothing was changed. */
  | { readonly type: 'busy'; readonly open: number }
  | { readonly type: 'unknown' }

export interface LaneStatus {
  readonly signer: SignerRecord
  readonly cursor: number | null
  readonly queued: number
  readonly inFlight: number
  readonly stuck: number
  /** Nonces that are reserved by callers, and the lowest of them that is not mined yet: those above wait for it. */
  readonly reserved: number
  readonly lowestReserved: LowestReserved | null
  /** Those for which an alarm was raised. */
  readonly stuckReserved: number
  /** Nonces that came back and are used first. */
  readonly free: number
  readonly health: LaneHealth
  readonly lease: {
    readonly nodeId: string
    readonly fence: number
    readonly expiresAt: number
    readonly live: boolean
  } | null
}

/**
 * What a caller makes a request known by. A tenant sees its own requests and those of the time before there were keys
 * (tenant ''): a retry that comes after the first key was made is still a retry.
 */
export interface RequestKey {
  readonly lane: Lane
  readonly tenant: string
  readonly requestId: string
}

/** An earlier request whose transaction was finished and has been deleted. */
export interface DeletedRequest {
  readonly state: 'DELETED'
  readonly id: TxId
  readonly requestDigest: Hash
}

export interface TransactionFilter {
  readonly chainId?: number
  readonly from?: Address
  readonly states?: readonly TxState[]
  readonly requestId?: string
  readonly hash?: Hash
  readonly nonce?: number
  readonly to?: Address
  /** Request ids with this prefix. */
  readonly requestIdPrefix?: string
  /** Only requests that this tenant knows: its own, and those of the time before there were keys (tenant ''). */
  readonly requestsOf?: string
  /** Its metadata contains all of these pairs. */
  readonly metadata?: Readonly<Record<string, string>>
  /** Created at or after, and before, in milliseconds. */
  readonly since?: number
  readonly until?: number
  readonly subState?: SubState
  readonly reach?: Reach
}

export interface Page<T> {
  readonly items: readonly T[]
  /** Pass as `after` to continue; null at the end. */
  readonly next: string | null
}

export interface PageRequest {
  readonly after: string | null
  readonly limit: number
  /** By acceptance; newest first by default. */
  readonly order?: ListOrder
}

export interface Store extends LaneRequestStore, RetentionStore, SpendingStore {
  /** Latest migration applied, and the database's clock. Throws StoreUnavailable. */
  ping(): Promise<{ readonly schemaVersion: number; readonly nowMs: number }>

  // Acceptance: one database transaction for the whole batch; one bad item never fails another. What is seen of a lane's
  // queue is complete up to the newest: nothing is ever put in before something that could be read.
  // What was held against rules is stored only together with its charges (`spending`).
  insertTransactions(batch: readonly NewTransaction[], spending?: SpendingWrite): Promise<readonly InsertOutcome[]>
  /** Of all lanes and tenants that have any. Reads as much as is queued: to be asked now and then, never per request. */
  countQueued(): Promise<readonly QueueDepth[]>
  /** For how many milliseconds the oldest unmined transaction of a chain has waited for a block; null: none does. */
  readUnminedAge(chainId: number): Promise<number | null>

  // Signers
  /** Registers lanes that are new; leaves those that exist as they are. `restores`: brings back removed ones. */
  registerSigners(
    signers: readonly { readonly lane: Lane; readonly policy: Policy; readonly label: string | null }[],
    options?: { readonly restores: boolean },
  ): Promise<void>
  /** All lanes of an account, or none: it takes no more transactions. */
  removeSigner(signer: Address, note: HistoryNote): Promise<RemoveOutcome>
  /** Without removed ones. */
  listSigners(): Promise<readonly SignerRecord[]>
  updateSigner(
    lane: Lane,
    change: { readonly policy?: Policy; readonly paused?: boolean; readonly label?: string | null },
    note: HistoryNote,
  ): Promise<SignerRecord | null>
  /** Whether bytes of these lanes may go only to their own send endpoints. Returns those that this changed. */
  setSendsPrivately(lanes: readonly Lane[], sendsPrivately: boolean, note: HistoryNote): Promise<readonly Lane[]>
  /** Removed ones only if the lane is named. `troubled`: only those with a problem, and those that have work and no live owner. */
  listLaneStatus(filter: {
    readonly lane?: Lane
    readonly reach?: Reach
    readonly troubled?: boolean
  }): Promise<readonly LaneStatus[]>

  // Nodes and leases: time is the database's alone.
  heartbeat(node: {
    readonly nodeId: string
    readonly address: string | null
    readonly ttlMs: number
    readonly chains: readonly number[] | null
    /** A node without a heartbeat for this long is silent; absent: the time to live. */
    readonly silentAfterMs?: number
  }): Promise<{
    readonly nowMs: number
    readonly nodes: readonly LiveNode[]
    /** Nodes that were silent for too long and did not stop cleanly, until they are forgotten. */
    readonly silent: readonly SilentNode[]
  }>
  listNodes(): Promise<readonly LiveNode[]>
  removeNode(nodeId: string): Promise<void>
  /**
   * Takes each lane that is free, expired, or already ours past expiry; the fence grows each time. Waits for fenced writes
   * in progress. Of lanes that send privately only those in `privately`: this node has a send endpoint for them.
   */
  acquireLeases(
    nodeId: string,
    lanes: readonly Lane[],
    ttlMs: number,
    privately?: readonly Lane[],
  ): Promise<readonly AcquiredLease[]>
  /** Extends every unexpired lease of this node in one statement; what is missing from the answer is lost. */
  renewLeases(nodeId: string, ttlMs: number): Promise<readonly RenewedLease[]>
  /** Asks the live owners of these lanes to hand them over: each sees `wantedBy` at its next renewal. Cleared when the lease changes hands. */
  requestLeases(nodeId: string, lanes: readonly Lane[]): Promise<void>
  /** Releases them immediately and notifies the other nodes; leases that are no longer ours are left alone. */
  releaseLeases(leases: readonly Lease[]): Promise<void>
  /** Unexpired leases of all nodes. */
  listLeases(): Promise<readonly Lease[]>

  /** Lanes leased to this node that have queued transactions: the polling behind `lane.work`, one statement for all. */
  lanesWithWork(nodeId: string): Promise<readonly Lane[]>

  /**
   * Queued transactions of this node's lanes whose time has come, oldest first: `validUntil`, or the time to approve
   * them, has passed by the database's clock, or `notBefore` is reached by these newest blocks.
   */
  readExpired(nodeId: string, limit: number, chains?: ChainTimes): Promise<readonly Queued[]>

  // Lanes (owner only)
  loadLane(lane: Lane): Promise<LoadedLane>
  /** Any node may ask. */
  readNonceLine(lane: Lane): Promise<NonceLine>
  /**
   * First in line, by priority and then by acceptance. Left out: those that are suspended, wait for approval, or are held
   * by a rule until later.
   */
  readQueue(lane: Lane, limit: number, options?: QueueOptions): Promise<readonly Queued[]>
  /** One database transaction for the batch; at most one write per lane. An answer for each, in order. */
  writeLanes(writes: readonly LaneWrite[]): Promise<readonly LaneWriteResult[]>

  // Operators
  /**
   * One transaction, checked against its version; notifies the lane's owner. `nonces` says what happens to a nonce that
   * it gives up.
   */
  amend(save: TxSave, nonces: readonly NonceMark[]): Promise<AmendResult>

  // Reads
  findTransaction(id: TxId): Promise<Transaction | null>
  /** Those of them that are there, in no order. One round trip. */
  findTransactions(ids: readonly TxId[]): Promise<readonly Transaction[]>
  /** Earlier requests under these keys, in order; null if there is none. One round trip. */
  findRequests(keys: readonly RequestKey[]): Promise<readonly (Transaction | DeletedRequest | null)[]>
  findTransactionByHash(hash: Hash): Promise<Transaction | null>
  /** In the order of acceptance, from either end. */
  listTransactions(filter: TransactionFilter, page: PageRequest): Promise<Page<Transaction>>
  /** How many are before it in its lane's queue; null if it is not queued. */
  countAhead(id: TxId): Promise<number | null>
  /** Transactions of a chain that are in a block and not final, those that were mined last first. */
  listMined(chainId: number, limit: number): Promise<readonly MinedTransaction[]>
  /** Oldest first and all of it, unless a page is asked for. */
  readHistory(id: TxId, page?: HistoryPage): Promise<readonly HistoryEntry[]>
  /** Events after a cursor, in commit order; a later commit never appears before the cursor. */
  readEvents(after: number, limit: number, reach?: Reach): Promise<readonly HistoryEntry[]>
  /** The same stream, but only the one entry of each transaction that made it final. */
  readCompletions(after: number, limit: number, reach?: Reach): Promise<readonly HistoryEntry[]>
  /** The newest committed event; 0 if there is none. Anything written from now on comes after it. */
  findLastEventId(): Promise<number>

  // Canonical headers, as one node sees them
  saveHeaders(chainId: number, headers: readonly Header[], keepFrom: number): Promise<void>
  readHeaders(chainId: number, from: number, to: number): Promise<readonly Header[]>

  /** Wake-ups. Only hints: each also has polling behind it. */
  listen(listener: (notice: Notice) => void): () => void
  close(): Promise<void>
}
