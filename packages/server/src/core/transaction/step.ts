/** The result of a transition: the new transaction, its history entry, and what to do once it is stored. */
import type { Transaction } from './transaction.ts'
import type { HistoryNote, TxEvent } from './tx-event.ts'

/** Imperative: carried out only after the step is durable. */
export type Effect =
  /** Send the bytes of the newest attempt. */
  | { readonly type: 'broadcast' }
  /** Look for every attempt's receipt now instead of waiting for the next audit. */
  | { readonly type: 'lookup' }
  | { readonly type: 'alarm'; readonly cause: string }
  /** The nonce is permanently used. */
  | { readonly type: 'nonce.used' }
  /** No node ever had valid bytes for the nonce: another transaction may take it. */
  | { readonly type: 'nonce.freed' }

export interface Step {
  readonly tx: Transaction
  readonly notes: readonly HistoryNote[]
  readonly effects: readonly Effect[]
}

export function stay(tx: Transaction): Step {
  return { tx, notes: [], effects: [] }
}

export function move(tx: Transaction, note: HistoryNote, ...effects: readonly Effect[]): Step {
  return { tx, notes: [note], effects }
}

/** Every operator action in the history records who did it and why. */
export function noteOperator(event: Extract<TxEvent, { readonly by: unknown }>) {
  return { type: event.type, cause: 'operator', detail: { actor: event.by.actor, reason: event.by.reason } }
}
