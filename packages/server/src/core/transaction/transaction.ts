/** A transaction: an intent and its whole life. Each state carries exactly what is true in it. */
import type { AccessList } from '../chain/access-list.ts'
import type { NotBefore } from '../chain/chain-time.ts'
import type { Confirmation, Finality, Inclusion } from '../chain/finality.ts'
import type { FeeLimit } from '../fees/fee-limit.ts'
import type { Fees, Speed, WantedFees } from '../fees/fees.ts'
import type { Address, Hash, Hex } from '../hex.ts'
import type { Lane } from '../lane/lane.ts'
import type { Approval } from '../rules/approval.ts'

export const TX_STATES = [
  'QUEUED',
  'ALLOCATED',
  'TRACKING',
  'CONFIRMED',
  'FAILED_FINAL',
  'STUCK',
  'CANCELLED',
  'EXPIRED',
] as const
export type TxState = (typeof TX_STATES)[number]
export type TxId = string

/** Where inside a state a transaction is. */
export const SUB_STATES = [
  'accepted',
  'preparing',
  'waiting_for_slot',
  'waiting_for_node',
  'waiting_for_predecessor',
  'waiting_for_funds',
  'waiting_for_key',
  'fee_above_cap',
  'held_by_rule',
  'awaiting_approval',
  'scheduled',
  'signed',
  'pending',
  'preconfirmed',
  'stale',
  'rejected_by_node',
  'making_way',
  'blocked_by_predecessor',
  'mined',
  'reorged',
  'suspended',
  'rejected',
  'not_approved',
  'final',
  'cancelled',
  'expired',
  'replaced',
  'foreign_nonce',
  'no_inclusion',
  'resolved',
] as const
export type SubState = (typeof SUB_STATES)[number]

/** What a caller asks for. It never changes after acceptance. */
export interface Intent {
  readonly lane: Lane
  /** Null deploys a contract. */
  readonly to: Address | null
  readonly data: Hex
  readonly value: bigint
  /** Null: estimated before a nonce is taken. */
  readonly gasLimit: bigint | null
  /** Null: taken from the market at the chosen speed. */
  readonly fees: WantedFees | null
  /** Absent: none. */
  readonly accessList?: AccessList
  /** Exactly this nonce: it is never sent under another. Absent: the next one. */
  readonly exactNonce?: number
  /** The most that the API key behind it may spend on the fee of one transaction; null: no limit of its own. */
  readonly maxFeeWei: bigint | null
  readonly speed: Speed
  /** Higher goes first within the lane. */
  readonly priority: number
  /** Milliseconds since the epoch; after this it takes no nonce. */
  readonly validUntil: number | null
  /** Absent: at once. */
  readonly notBefore?: NotBefore
  readonly requestId: string | null
  /** Digest of the whole request, to detect the same key with another body. */
  readonly requestDigest: Hash
  readonly finality: Finality | null
  readonly simulate: boolean
  /** It was simulated before it was accepted, and nothing was wrong. */
  readonly simulated: boolean
  readonly metadata: Readonly<Record<string, string>>
}

/** `bump`, `cancel`: replace an earlier one under the same nonce. `noop`: only fills a gap. */
export type AttemptKind = 'original' | 'bump' | 'cancel' | 'noop'

/** What an operator or a deadline requested for a sent transaction and the lane has not done yet. */
export type RequestedReplacement = 'none' | 'speed_up' | 'cancel'

/** One signed byte string for a transaction. Durable before it is first sent. */
export interface Attempt {
  readonly hash: Hash
  readonly raw: Hex
  readonly kind: AttemptKind
  readonly nonce: number
  readonly gasLimit: bigint
  readonly fees: Fees
  readonly createdAt: number
}

/** Why a transaction did not, or does not, advance. `code` is stable; `message` is for people. */
export interface TxError {
  readonly code: string
  readonly message: string
  /** Decoded revert reason or the node's own words, if there are any. */
  readonly reason?: string
  /** What the contract returned as it reverted, if the node provided it. */
  readonly revertData?: Hex
  /** The limit that forbids its price, if that is the reason. */
  readonly limit?: FeeLimit
  /** Why its price was not raised before this happened. It holds until other bytes are signed. */
  readonly unraised?: Pick<TxError, 'code' | 'message' | 'reason' | 'limit'>
}

/**
 * Why a transaction makes way: every node refused its bytes, so an empty transaction takes its nonce. `mayPass`: the
 * refusal is temporary, so it goes back to the queue instead of ending.
 */
export interface Refusal extends TxError {
  readonly mayPass: boolean
}

interface Base {
  readonly id: TxId
  readonly intent: Intent
  /** Grows with every stored change; a writer that saw an older one writes nothing. */
  readonly version: number
  readonly subState: SubState
  readonly error: TxError | null
  /** An operator suspended it: it takes no nonce and nothing is sent until it is resumed. */
  readonly suspended: boolean
  readonly createdAt: number
  /** Every byte string ever signed for it, oldest first. */
  readonly attempts: readonly Attempt[]
  /** The API key that sent it. Absent: none. */
  readonly keyId?: string
  /** Who has to approve it, and who has. Absent: nobody had to. */
  readonly approval?: Approval
}

interface Signed extends Base {
  readonly nonce: number
  readonly fence: number
  readonly nodeId: string
  readonly allocatedAt: number
  /** Since when it waits for inclusion: allocation, or the reorg, resumption or retry that restarted the wait. */
  readonly waitingSince: number
  /** First and latest time at which bytes went to a node. */
  readonly submittedAt: number | null
  readonly lastSubmitAt: number | null
  readonly submitCount: number
  /** Sends refused in a row. */
  readonly refusals: number
  readonly nextResubmitAt: number
  readonly newForks: number
  readonly requestedReplacement: RequestedReplacement
  /** A node accepted bytes under this nonce, or may have: no answer, a lost one, or an unclear one. */
  readonly mayBeHeld: boolean
  /** Null: it does not make way. */
  readonly refusal: Refusal | null
}

export type Queued = Base & {
  readonly state: 'QUEUED'
  /** Preparation failed for now; not tried again before this. */
  readonly retryAt: number | null
  readonly prepareFailures: number
  /** Rules bind it, so they are checked before it is signed. Only the queue says so. */
  readonly hasRules?: true
}
export type Allocated = Signed & { readonly state: 'ALLOCATED' }
export type Tracking = Signed & {
  readonly state: 'TRACKING'
  readonly inclusion: Inclusion | null
  readonly minedAt: number | null
}
export type Stuck = Signed & { readonly state: 'STUCK'; readonly stuckAt: number }
export type Finished = Signed & {
  readonly state: 'CONFIRMED' | 'FAILED_FINAL'
  readonly inclusion: Inclusion
  readonly confirmations: readonly Confirmation[]
  readonly minedAt: number
  readonly finalAt: number
}
export type CancelledOnChain = Signed & {
  readonly state: 'CANCELLED'
  readonly inclusion: Inclusion
  readonly confirmations: readonly Confirmation[]
  readonly minedAt: number
  readonly finalAt: number
}
export type Dropped = Base & {
  readonly state: 'CANCELLED' | 'EXPIRED'
  readonly nonce: null
  readonly finalAt: number
}

export type InFlight = Allocated | Tracking | Stuck
export type Transaction = Queued | InFlight | Finished | CancelledOnChain | Dropped

export function isInFlight(tx: Transaction): tx is InFlight {
  return tx.state === 'ALLOCATED' || tx.state === 'TRACKING' || tx.state === 'STUCK'
}

export function isTerminal(tx: Transaction): tx is Finished | CancelledOnChain | Dropped {
  return tx.state === 'CONFIRMED' || tx.state === 'FAILED_FINAL' || tx.state === 'CANCELLED' || tx.state === 'EXPIRED'
}

export function inclusionOf(tx: Transaction): Inclusion | null {
  return 'inclusion' in tx ? tx.inclusion : null
}

/** A node shows it as part of the block that is being built. A promise: it is not mined yet. */
export function isPreconfirmed(tx: Transaction): boolean {
  return tx.subState === 'preconfirmed'
}

export function nonceOf(tx: Transaction): number | null {
  return 'nonce' in tx ? tx.nonce : null
}

/** An attempt at its current nonce. Bytes of a nonce that it lost say nothing about this one. */
export function findAttempt(tx: Exclude<Transaction, Queued | Dropped>, hash: Hash): Attempt | null {
  return tx.attempts.find((attempt) => attempt.hash === hash && attempt.nonce === tx.nonce) ?? null
}

/** The newest bytes under its current nonce: these are sent, and a replacement has to outbid them. */
export function newestAttempt(tx: InFlight): Attempt | null {
  return tx.attempts.findLast((attempt) => attempt.nonce === tx.nonce) ?? null
}

/** An empty transaction will take its nonce, or already bids for it. */
export function isCancelling(tx: InFlight): boolean {
  return tx.requestedReplacement === 'cancel' || tx.refusal !== null || newestAttempt(tx)?.kind === 'cancel'
}

/** An empty transaction will take its nonce, and is not signed yet. */
export function lacksEmpty(tx: InFlight): boolean {
  return isCancelling(tx) && newestAttempt(tx)?.kind !== 'cancel'
}

/** The attempt that counts now: the one included, else the newest. */
export function currentAttempt(tx: Transaction): Attempt | null {
  const inclusion = inclusionOf(tx)
  const included = inclusion && tx.attempts.find((attempt) => attempt.hash === inclusion.txHash)
  return included ?? tx.attempts.at(-1) ?? null
}
