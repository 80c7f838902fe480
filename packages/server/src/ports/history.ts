/** What the store knows of the past: history entries, and transactions as they were mined or ended. */
import type { Finality, Inclusion } from '../core/chain/finality.ts'
import type { Hash } from '../core/hex.ts'
import type { Lane } from '../core/lane/lane.ts'
import type { TxError, TxId, TxState } from '../core/transaction/transaction.ts'

export type ListOrder = 'asc' | 'desc'

export interface HistoryEntry {
  /** Place in the stream: commit order, never reused, never filled in later. */
  readonly eventId: number
  readonly txId: TxId | null
  readonly lane: Lane
  readonly type: string
  readonly cause: string | null
  readonly fromState: TxState | null
  readonly toState: TxState | null
  readonly subState: string | null
  readonly nodeId: string | null
  readonly fence: number | null
  readonly detail: Readonly<Record<string, unknown>>
  readonly at: number
  /** How often this happened in one sub-state, and when last. */
  readonly count: number
  readonly lastAt: number
  /** Of the one entry that made a transaction final; else null. */
  readonly completion: Completion | null
}

/** A transaction in a block that is not final yet. */
export interface MinedTransaction {
  readonly txId: TxId
  readonly lane: Lane
  readonly blockNumber: number
  readonly blockHash: Hash
  /** The rule that it was sent with; null: that of its lane. */
  readonly finality: Finality | null
}

/** The outcome of a transaction and its owner: enough that a subscriber needs no second request. */
export interface Completion {
  readonly requestId: string | null
  readonly metadata: Readonly<Record<string, string>>
  /** The block that contains it; null if it ended without one. */
  readonly inclusion: Inclusion | null
  readonly error: TxError | null
}

export interface HistoryPage {
  readonly order: ListOrder
  /** The last event of the page before. */
  readonly after: number | null
  readonly limit: number
}
