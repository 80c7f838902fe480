/** The history and stream of the in-memory store. Its events are in commit order because every write is one step. */

import type { Lane } from '../core/lane.ts'
import type { TxState } from '../core/transaction.ts'
import type { HistoryNote } from '../core/tx-event.ts'
import type { HistoryEntry } from '../ports/store.ts'
import { type CountedNote, compactNotes } from './history-note.ts'
import { toJson, toStored } from './json-text.ts'
import type { MemoryState, MemoryTransaction } from './memory-state.ts'

type Writer = { readonly nodeId: string; readonly fence: number } | null

/** Adds the notes of a save; a repeat of the transaction's latest entry only counts. Returns how many are new. */
export function appendNotes(
  state: MemoryState,
  row: MemoryTransaction,
  fromState: TxState | null,
  by: Writer,
  notes: Parameters<typeof compactNotes>[0]['notes'],
): number {
  let added = 0
  for (const note of compactNotes({ notes, tx: row.tx }, fromState)) {
    if (row.lastEvent !== null && row.eventKey === note.key) {
      replaceLast(state, row, row.lastEvent, note)
      continue
    }
    row.lastEvent = toEntry(state, row, by, note)
    row.eventKey = note.key
    state.events.push(row.lastEvent)
    added += 1
  }
  return added
}

/** Adds what is said of a lane itself. */
export function appendLaneNotes(state: MemoryState, lane: Lane, by: Writer, notes: readonly HistoryNote[]): number {
  for (const { type, cause, detail } of notes) {
    const at = state.now()
    state.events.push({
      ...{ eventId: state.events.length + 1, txId: null, lane, type, cause },
      ...{ fromState: null, toState: null, subState: null, nodeId: by?.nodeId ?? null, fence: by?.fence ?? null },
      detail: JSON.parse(toJson(toStored(detail))),
      ...{ at, count: 1, lastAt: at },
    })
  }
  return notes.length
}

function replaceLast(state: MemoryState, row: MemoryTransaction, latest: HistoryEntry, note: CountedNote): void {
  const entry = { ...latest, count: latest.count + note.count, lastAt: state.now() }
  state.events[latest.eventId - 1] = entry
  row.lastEvent = entry
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
  }
}
