/** The notes of a save as entries of the history. Equal ones in a row are one entry with a count. */
import type { SubState, Transaction, TxState } from '../core/transaction.ts'
import type { HistoryNote } from '../core/tx-event.ts'
import type { TxSave } from '../ports/store.ts'

export interface CountedNote {
  readonly type: string
  readonly cause: string | null
  readonly detail: HistoryNote['detail']
  readonly count: number
  readonly from: TxState | null
  readonly to: TxState
  readonly subState: SubState
  /** Two entries in a row with the same key are one happening, repeated. */
  readonly key: string
}

export const ACCEPTED_NOTE: HistoryNote = { type: 'accepted', cause: null, detail: {} }

export function acceptedNote(by: string | undefined): HistoryNote {
  return by === undefined ? ACCEPTED_NOTE : { ...ACCEPTED_NOTE, detail: { by } }
}

export function eventKey(note: HistoryNote, tx: Pick<Transaction, 'state' | 'subState'>): string {
  return [note.type, tx.state, tx.subState, note.cause ?? ''].join('|')
}

export function compactNotes(
  { notes, tx }: Pick<TxSave, 'notes' | 'tx'>,
  fromState: TxState | null,
): readonly CountedNote[] {
  const compacted: CountedNote[] = []
  for (const note of notes) {
    const { from, to, subState } = note.step ?? { from: fromState, to: tx.state, subState: tx.subState }
    const key = eventKey(note, { state: to, subState })
    const latest = compacted.at(-1)
    if (latest?.key === key) compacted[compacted.length - 1] = { ...latest, count: latest.count + 1 }
    else compacted.push({ type: note.type, cause: note.cause, detail: note.detail, count: 1, from, to, subState, key })
  }
  return compacted
}
