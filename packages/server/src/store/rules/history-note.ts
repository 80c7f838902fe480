/**
 * The notes of a save as entries of the history.
 *
 * A transaction that waits is sent again and again: claimed, answered, claimed, answered. While it stays in one
 * sub-state, such routine entries are kept once for each type and cause, with a count, until something new happens:
 * another state or sub-state, a new attempt, a block, an operator. So a year of waiting is a handful of rows, and no
 * subscriber hears of it twice. `pending` and `stale` count as one sub-state: each resend goes from one to the other
 * and back. So do all sub-states before a nonce is taken: otherwise a transaction that lacks funds behind a flaky node
 * would fill a page a day.
 */
import type { SubState, TxState } from '../../core/transaction/transaction.ts'
import { type HistoryNote, ROUTINE_EVENTS } from '../../core/transaction/tx-event.ts'
import type { TxSave } from '../../ports/lane-write.ts'

export interface CountedNote {
  readonly type: string
  readonly cause: string | null
  readonly detail: HistoryNote['detail']
  readonly count: number
  readonly from: TxState | null
  readonly to: TxState
  readonly subState: SubState
  /** It may be one of the stored routine entries once more: nothing in this save is news before it. */
  readonly mayRepeat: boolean
  /** Routine entries from before it are not counted any further. The first one of a sub-state may itself be counted. */
  readonly opens: 'nothing' | 'with_itself' | 'after_itself'
}

export const ACCEPTED_NOTE: HistoryNote = { type: 'accepted', cause: null, detail: {} }

const ROUTINE: ReadonlySet<string> = new Set(ROUTINE_EVENTS)

export function acceptedNote(by: string | undefined): HistoryNote {
  return by === undefined ? ACCEPTED_NOTE : { ...ACCEPTED_NOTE, detail: { by } }
}

/** Two routine entries with the same key are one happening, repeated. */
export function routineKey({ type, cause, subState }: { type: string; cause: string | null; subState: string | null }) {
  return [type, subState, cause ?? ''].join('|')
}

export function compactNotes(
  { notes, tx }: Pick<TxSave, 'notes' | 'tx'>,
  fromState: TxState | null,
): readonly CountedNote[] {
  const compacted: CountedNote[] = []
  const places = new Map<string, number>()
  let mayRepeat = true
  for (const { type, cause, detail, step } of notes) {
    const { from, to, subState } = step ?? { from: fromState, to: tx.state, subState: tx.subState }
    const isSameWait = step === undefined || to === 'QUEUED' || waitOf(step.fromSubState) === waitOf(subState)
    const opens = findOpening({ type, isMove: from !== to, isSameWait })
    if (opens !== 'nothing') {
      places.clear()
      mayRepeat = false
    }
    const key = routineKey({ type, cause, subState })
    const place = places.get(key)
    const earlier = place === undefined ? undefined : compacted[place]
    if (place !== undefined && earlier !== undefined) {
      compacted[place] = { ...earlier, count: earlier.count + 1 }
      continue
    }
    if (opens !== 'after_itself') places.set(key, compacted.length)
    compacted.push({ type, cause, detail, count: 1, from, to, subState, mayRepeat, opens })
  }
  return compacted
}

function findOpening({ type, isMove, isSameWait }: { type: string; isMove: boolean; isSameWait: boolean }) {
  if (!ROUTINE.has(type) || isMove) return 'after_itself'
  return isSameWait ? 'nothing' : 'with_itself'
}

function waitOf(subState: SubState): SubState {
  return subState === 'stale' ? 'pending' : subState
}
