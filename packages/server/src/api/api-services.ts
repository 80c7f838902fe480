/** What the routes need from the rest of the service, and no more. The composition root provides it. */
import type { ChainHealth } from '../core/chain/chain-health.ts'
import type { ChainView, Finality, Header } from '../core/chain/finality.ts'
import type { SilentNode } from '../core/explain/describe-problem.ts'
import type { Address } from '../core/hex.ts'
import type { Lane } from '../core/lane/lane.ts'
import type { Policy } from '../core/lane/policy.ts'
import type { HistoryNote } from '../core/transaction/tx-event.ts'
import type { Accept } from '../engine/accept/accept.ts'
import type { AcceptBatch } from '../engine/accept/accept-batch.ts'
import type { FeeMarkets } from '../engine/fees/fee-markets.ts'
import type { FillGaps } from '../engine/gaps/fill-gaps.ts'
import type { Operate } from '../engine/operate/operate.ts'
import type { ResetNonce } from '../engine/operate/reset-nonce.ts'
import type { ListReservations } from '../engine/reservations/list-reservations.ts'
import type { Reservations } from '../engine/reservations/reserve.ts'
import type { TakeBackNonces } from '../engine/reservations/take-back-nonces.ts'
import type { DecideApproval } from '../engine/rules/decide-approval.ts'
import type { ManageRules } from '../engine/rules/manage-rules.ts'
import type { FairTurns } from '../engine/tenants/fair-turns.ts'
import type { TenantPool } from '../engine/tenants/tenant-pool.ts'
import type { UnreadBytes } from '../engine/tenants/unread-bytes.ts'
import type { WorkTurns } from '../engine/tenants/work-turns.ts'
import type { Timers } from '../engine/timers/timers.ts'
import type { TransactionWaits } from '../engine/wait/transaction-waits.ts'
import type { AccessStore } from '../ports/access-store.ts'
import type { Clock } from '../ports/clock.ts'
import type { EndpointReport, SendEndpoint } from '../ports/endpoint-report.ts'
import type { KeyCheck, KeyState } from '../ports/key-source.ts'
import type { LiveNode, RemoveOutcome, Store } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import type { Access } from './access/access.ts'
import type { ApiKeys } from './access/api-keys.ts'
import type { ReadLogs } from './lookup/log-reads.ts'
import type { ReadRevert } from './lookup/revert-reads.ts'
import type { Webhooks } from './lookup/webhooks.ts'
import type { Pieces } from './server/pieces.ts'
import type { EventStreams } from './stream/event-streams.ts'

export type ApiStore = Pick<
  Store,
  | 'findTransaction'
  | 'findTransactionByHash'
  | 'listTransactions'
  | 'readHistory'
  | 'readEvents'
  | 'readHeaders'
  | 'readCompletions'
  | 'findLastEventId'
  | 'countAhead'
  | 'loadLane'
  | 'listLaneStatus'
  | 'listLeases'
  | 'updateSigner'
  | 'registerSigners'
  | 'listResets'
>

export interface ChainStatus {
  readonly chainId: number
  /** Null until the first block is seen. */
  readonly head: Header | null
  readonly safe: number | null
  readonly finalized: number | null
  readonly finality: Finality
  /** The head is known and the follower keeps up with it. */
  readonly following: boolean
  readonly health: ChainHealth
  /** Why it does not keep up, in words that are safe to show: never a URL with a key in it. */
  readonly lastError: string | null
  /** Its RPC endpoints as this node sees them, in the order of the URLs. */
  readonly endpoints: readonly EndpointReport[]
}

export interface ReadinessProblem {
  /** `database`, `schema`, or `chain`, `node` or `signer` and its name. */
  readonly part: string
  readonly message: string
  /** What to do about it. */
  readonly action: string
  /** The entry of docs/runbook.md; null if there is none. */
  readonly runbook: string | null
  /** The node itself can work: no reason to route requests elsewhere. */
  readonly isMinor: boolean
}

/** The keys that this node can sign with. */
export interface OwnKeys {
  addresses(): readonly Address[]
  /** The configured policy of a new signer. */
  defaultPolicy(address: Address): Policy
  /** Null: this node does not have the key. */
  find(address: Address): KeyState | null
  check(address: Address, chainId: number): Promise<KeyCheck>
  /** Creates a key in the database; null without a master key. */
  create(): Promise<Address | null>
  /** Removes the signer from all chains, and its key if that is in the database. */
  remove(address: Address, note: HistoryNote): Promise<RemoveOutcome>
}

export interface ApiServices {
  readonly nodeId: string
  readonly access: Access
  readonly apiKeys: ApiKeys
  readonly audit: Pick<AccessStore, 'listAudit' | 'checkAudit'>
  readonly accept: Accept
  readonly acceptBatch: AcceptBatch
  readonly operate: Operate
  readonly decideApproval: DecideApproval
  readonly rules: ManageRules
  readonly reservations: Pick<Reservations, 'reserve' | 'find' | 'act'> & { readonly list: ListReservations }
  readonly takeBack: TakeBackNonces
  readonly resets: Pick<ResetNonce, 'reset' | 'find'>
  readonly eventStreams: EventStreams
  readonly webhooks: Webhooks
  readonly timers: Omit<Timers, 'close'>
  readonly waits: TransactionWaits
  /** Bytes of the request bodies being read or processed. */
  readonly bodies: TenantPool
  /** Bytes of answers that clients have not read yet. */
  readonly unread: UnreadBytes
  /** A client that reads nothing of its answer for this long is disconnected. */
  readonly stallMs: number
  /** Turns on this node, so a flood from one tenant makes only that tenant wait. */
  readonly work: WorkTurns
  /** For work on long lists. */
  readonly pieces: Pieces
  /** For large database reads: tenants take turns. */
  readonly reads: FairTurns
  readonly feeMarkets: FeeMarkets
  /** The chain's cap on the fee of one transaction, in wei; null if there is none. */
  maxTxFeeOf(chainId: number): bigint | null
  readonly fillGaps: FillGaps
  readonly ownKeys: OwnKeys
  /** Settles once this node follows what is stored about its signers now: their policies and whether they are paused. */
  applySigners(): Promise<void>
  readonly store: ApiStore
  readonly clock: Clock
  /** This node's view of every chain it follows; from memory. */
  chainStatus(): readonly ChainStatus[]
  /** The canonical chain as this node sees it; null until it sees a block, and for a chain that it does not follow. */
  viewOf(chainId: number): ChainView | null
  /** Calls back whenever the view of a chain changes, until the returned function is called. */
  onChain(listener: (chainId: number) => void): () => void
  /** The health of a chain for a caller waiting for a block since that time. Null: for whatever this node waits for. */
  healthOf(chainId: number, waitedSince: number | null): ChainHealth
  /** The account's transaction count at the followed head. Null if the chain does not answer immediately. */
  countOf(lane: Lane): Promise<number | null>
  /** The price per gas of the next block, in wei. Null if the chain does not answer immediately. */
  baseFeeOf(chainId: number): Promise<bigint | null>
  /** The only endpoints that bytes of a signer may go to, as this node sees them; null: all of the chain. */
  sendEndpointsOf(lane: Lane): readonly SendEndpoint[] | null
  /** The logs of a transaction. */
  readonly readLogs: ReadLogs
  /** Why a mined transaction reverted. */
  readonly readRevert: ReadRevert
  /** The rule for a transaction that names none: the signer's, or else the chain's. */
  finalityOf(lane: Lane): Finality
  listNodes(): Promise<readonly LiveNode[]>
  /** Nodes that have not reported for too long; from memory. */
  silentNodes(): readonly SilentNode[]
  /** Empty: ready. */
  readiness(): Promise<readonly ReadinessProblem[]>
  readonly telemetry: Telemetry
  /** In the text format of Prometheus. */
  renderMetrics(): Promise<{ readonly contentType: string; readonly body: string }>
  /** Folder of the built web page; null if the service has none. */
  readonly dashboardDir: string | null
}
