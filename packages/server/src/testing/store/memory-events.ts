/** The history and stream of the in-memory store. Its events are in commit order because every write is one step. */

import type { Lane } from '../../core/lane/lane.ts'
import { inclusionOf, type TxId, type TxState } from '../../core/transaction/transaction.ts'
import type { HistoryNote } from '../../core/transaction/tx-event.ts'
import { isCompletion } from '../../core/webhook/event-filter.ts'
import type { HistoryEntry, HistoryPage } from '../../ports/history.ts'
import { toJson, toStored } from '../../store/postgres/json-text.ts'
import { type CountedNote, compactNotes, routineKey } from '../../store/rules/history-note.ts'
import { freeze } from './freeze.ts'
import { findMemoryTransaction, type MemoryState, type MemoryTransaction } from './memory-state.ts'

type Writer = { readonly nodeId: string; readonly fence: number } | null

/** Adds the notes of a save; a routine entry that happens again only counts. Returns how many are new. */
export function appendNotes(
  state: MemoryState,
  row: MemoryTransaction,
  fromState: TxState | null,
  by: Writer,
  notes: readonly HistoryNote[],
): number {
  let added = 0
  for (const note of compactNotes({ notes, tx: row.tx }, fromState)) {
    if (note.opens !== 'nothing') row.routine.clear()
    const known = row.routine.get(routineKey(note))
    if (known !== undefined) {
      countAgain(state, known, note)
      continue
    }
    const entry = toEntry(state, row, by, note)
    if (note.opens !== 'after_itself') row.routine.set(routineKey(note), entry.eventId)
    state.events.push(entry)
    added += 1
  }
  return added
}

/** Adds what is said of a lane itself. */
export function appendLaneNotes(state: MemoryState, lane: Lane, by: Writer, notes: readonly HistoryNote[]): number {
  for (const { type, cause, detail } of notes) {
    const at = state.now()
    state.events.push({
      eventId: state.events.length + 1,
      txId: null,
      lane,
      type,
      cause,
      fromState: null,
      toState: null,
      subState: null,
      nodeId: by?.nodeId ?? null,
      fence: by?.fence ?? null,
      detail: JSON.parse(toJson(toStored(detail))),
      at,
      count: 1,
      lastAt: at,
      completion: null,
    })
  }
  return notes.length
}

export function readHistoryInMemory(state: MemoryState, id: TxId, page?: HistoryPage): readonly HistoryEntry[] {
  const all = complete(
    state,
    state.events.filter((event) => event.txId === id),
  )
  if (page === undefined) return all
  const inOrder = page.order === 'asc' ? all : all.toReversed()
  const last = inOrder.findIndex(({ eventId }) => eventId === page.after)
  if (page.after !== null && last < 0) return []
  return inOrder.slice(last + 1, last + 1 + page.limit)
}

/** With what came of a transaction, on the entries that ended one. */
export function complete(state: MemoryState, entries: readonly HistoryEntry[]): readonly HistoryEntry[] {
  return entries.map((entry) => {
    const tx = isCompletion(entry) && findMemoryTransaction(state, entry.txId ?? '')?.tx
    if (!tx) return freeze(entry)
    const { requestId, metadata } = tx.intent
    return freeze({
      ...entry,
      completion: { requestId, metadata, inclusion: inclusionOf(tx), error: tx.error },
    })
  })
}

function countAgain(state: MemoryState, eventId: number, { count }: CountedNote): void {
  const entry = state.events[eventId - 1]
  if (entry === undefined) throw new Error(`event ${eventId} vanished`)
  state.events[eventId - 1] = { ...entry, count: entry.count + count, lastAt: state.now() }
}

function toEntry(state: MemoryState, { tx }: MemoryTransaction, by: Writer, note: CountedNote): HistoryEntry {
  const lane: Lane = tx.intent.lane
  const at = state.now()
  return {
    eventId: state.events.length + 1,
    txId: tx.id,
    lane,
    type: note.type,
    cause: note.cause,
    fromState: note.from,
    toState: note.to,
    subState: note.subState,
    nodeId: by?.nodeId ?? null,
    fence: by?.fence ?? null,
    // As a database would give it back: amounts are text, and nothing is shared with the writer.
    detail: JSON.parse(toJson(toStored(note.detail))),
    at,
    count: note.count,
    lastAt: at,
    completion: null,
  }
}
