/** What the in-memory store holds: the tables of the database as maps. */
import type { Header } from '../../core/chain/finality.ts'
import type { Hash } from '../../core/hex.ts'
import type { Lane, LaneKey } from '../../core/lane/lane.ts'
import type { NonceReset } from '../../core/lane/nonce-reset.ts'
import type { Reservation, ReservationId } from '../../core/lane/reservation.ts'
import type { Charge, SpendingAccount } from '../../core/rules/judge.ts'
import type { SubjectId } from '../../core/rules/rule-set.ts'
import type { Transaction, TxId } from '../../core/transaction/transaction.ts'
import type { HistoryEntry } from '../../ports/history.ts'
import type { LaneHealth, NonceMark } from '../../ports/lane-write.ts'
import type { Notice } from '../../ports/notice.ts'
import type { LiveNode, SignerRecord } from '../../ports/store.ts'

export interface MemoryTransaction {
  tx: Transaction
  /** Place in line by acceptance, kept for life. */
  readonly acceptedSeq: number
  readonly tenant: string
  /** Events that only count when they happen again, by their key. */
  readonly routine: Map<string, number>
}

export interface MemoryLane {
  readonly lane: Lane
  signer: SignerRecord
  owner: string | null
  fence: number
  expiresAt: number
  wantedBy: string | null
  cursor: number | null
  readonly nonces: Map<number, NonceMark>
  /** Who holds a nonce and is not final. */
  readonly live: Map<number, TxId>
  readonly transactions: Map<TxId, MemoryTransaction>
  /** By `requestKey`. */
  readonly requests: Map<string, TxId>
  readonly reservations: Map<ReservationId, MemoryReservation>
  /** Oldest first. */
  readonly resets: NonceReset[]
  health: LaneHealth
}

export interface MemoryReservation {
  reservation: Reservation
  readonly lockOwner: string
}

export interface MemoryNode extends LiveNode {
  readonly ttlMs: number
}

export interface MemoryState {
  readonly now: () => number
  readonly lanes: Map<LaneKey, MemoryLane>
  readonly laneOf: Map<TxId, MemoryLane>
  readonly hashes: Map<Hash, TxId>
  readonly events: HistoryEntry[]
  readonly nodes: Map<string, MemoryNode>
  readonly headers: Map<number, Map<number, Header>>
  readonly listeners: Set<(notice: Notice) => void>
  /** Where the versions of the next rule set begin. */
  spendingVersions: number
  /** Subjects with rules. */
  readonly accounts: Map<SubjectId, SpendingAccount>
  /** By transaction and subject. */
  readonly charges: Map<string, Charge>
  acceptedSeq: number
  /** What stays of transactions that are deleted, or will be. */
  readonly retired: Map<TxId, MemoryRetired>
  readonly deleted: Set<TxId>
  /** Events of no transaction that are deleted. */
  readonly deletedEvents: Set<number>
  readonly revokedKeys: Set<string>
}

export interface MemoryRetired {
  readonly lane: Lane
  readonly tenant: string
  readonly requestId: string | null
  readonly requestDigest: Hash
  readonly retiredAt: number
  deletedAt: number | null
}

export function createMemoryState(now: () => number): MemoryState {
  return {
    now,
    lanes: new Map(),
    laneOf: new Map(),
    hashes: new Map(),
    events: [],
    nodes: new Map(),
    headers: new Map(),
    listeners: new Set(),
    spendingVersions: 0,
    accounts: new Map(),
    charges: new Map(),
    acceptedSeq: 0,
    retired: new Map(),
    deleted: new Set(),
    deletedEvents: new Set(),
    revokedKeys: new Set(),
  }
}

function requestKey(tenant: string, requestId: string): string {
  return JSON.stringify([tenant, requestId])
}

/** A tenant's own request, else one of the time before there were keys. */
export function findMemoryRequest(lane: MemoryLane | undefined, tenant: string, requestId: string): TxId | undefined {
  return lane?.requests.get(requestKey(tenant, requestId)) ?? lane?.requests.get(requestKey('', requestId))
}

export function noteMemoryRequest(lane: MemoryLane, tenant: string, requestId: string, id: TxId): void {
  lane.requests.set(requestKey(tenant, requestId), id)
}

export function forgetMemoryRequest(lane: MemoryLane | undefined, tenant: string, requestId: string): void {
  lane?.requests.delete(requestKey(tenant, requestId))
}

export function isRemoved({ signer }: MemoryLane): boolean {
  return signer.removedAt !== undefined
}

/** Lanes by chain and signer, the order in which the database lists them. */
export function sortedLanes(state: MemoryState): readonly MemoryLane[] {
  return [...state.lanes.values()].sort(
    (a, b) => a.lane.chainId - b.lane.chainId || (a.lane.signer < b.lane.signer ? -1 : 1),
  )
}

export function findMemoryTransaction(state: MemoryState, id: TxId): MemoryTransaction | undefined {
  return state.laneOf.get(id)?.transactions.get(id)
}

export function isLeaseLive(state: MemoryState, lane: MemoryLane): boolean {
  return lane.owner !== null && lane.expiresAt > state.now()
}

/** After the step that caused it, as from a database: a listener that calls the store at once must not land inside it. */
export function notify(state: MemoryState, notice: Notice): void {
  queueMicrotask(() => {
    for (const listener of [...state.listeners]) listener(notice)
  })
}
