/** What the JSON-RPC endpoint needs from the rest of the service. The composition root provides it. */
import type { Caller } from '../core/access/caller.ts'
import type { Explanation } from '../core/explain/explain.ts'
import type { Address } from '../core/hex.ts'
import type { Lane } from '../core/lane/lane.ts'
import type { Transaction } from '../core/transaction/transaction.ts'
import type { AcceptBatch } from '../engine/accept/accept-batch.ts'
import type { FairTurns } from '../engine/tenants/fair-turns.ts'
import type { Tenant } from '../engine/tenants/tenant-pool.ts'
import type { UpstreamPace } from '../engine/tenants/upstream-pace.ts'
import type { TransactionWaits } from '../engine/wait/transaction-waits.ts'
import type { Clock } from '../ports/clock.ts'
import type { SignerRecord, Store } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import type { Upstream } from '../ports/upstream.ts'

export interface RpcSettings {
  /** How long `eth_sendTransaction` waits for a hash. */
  readonly holdTimeoutMs: number
  readonly allowedMethods: readonly string[]
  readonly maxSockets: number
  /** One tenant's share of everything that is shared. */
  readonly sharePercent?: number
}

export type WaitReason = Pick<Explanation, 'cause' | 'summary'>

export interface RpcServices {
  readonly upstreams: readonly Upstream[]
  readonly acceptBatch: AcceptBatch
  readonly waits: Pick<TransactionWaits, 'enter'>
  readonly store: Pick<Store, 'findTransactionByHash' | 'readNonceLine' | 'listSigners' | 'listen'>
  /** Why a transaction waits, in the words of the HTTP API, and no more of it than this caller may know. */
  explain(tx: Transaction, caller: Caller): Promise<WaitReason>
  /** What calls read from the store goes in turns. */
  readonly reads: FairTurns
  /** Like `map` of a list. Long lists are worked on in pieces, between which others have their turns. */
  inPieces<T, R>(tenant: Tenant, items: readonly T[], map: (item: T, index: number) => R): Promise<R[]>
  /** From memory: a request for a guessed lane costs nothing. */
  readonly signers: { peek(lane: Lane): SignerRecord | null }
  /** Whose keys this node has, in the order in which they were configured. */
  ownAddresses(): readonly Address[]
  /** How much of a chain's node each tenant may use. */
  paceOf?(chainId: number): UpstreamPace | undefined
  /** Every call of a message counts against the rate of the key. Throws AppError. */
  chargeItems(caller: Caller, items: number): void
  /** For the audit: a caller tried something its key does not allow. Never throws. */
  recordRefusal(caller: Caller, what: { readonly operation: string; readonly target: string }): Promise<void>
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly settings: RpcSettings
}
