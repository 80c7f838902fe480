/** A row of the file, of the board and of the journal: the same thing at three places. */
import type { RowStatus } from './board.ts'
import type { JournalRow } from './journal.ts'
import type { BatchRow } from './survey-batch.ts'

export function toStatus({ row, line, digest, body }: BatchRow): RowStatus {
  const nothing = { id: null, state: null, mined: null, hash: null, error: null }
  return { row, line, digest, requestId: body.requestId, from: body.from, ...nothing }
}

const FINAL_STATES = ['CONFIRMED', 'FAILED_FINAL', 'CANCELLED', 'EXPIRED'] as const

export function recall(row: BatchRow, { id, state, hash, error }: JournalRow): RowStatus {
  const final = FINAL_STATES.find((known) => known === state) ?? null
  const mined = final === 'CONFIRMED' ? 'success' : final === 'FAILED_FINAL' ? 'reverted' : null
  const [code = '', ...words] = error?.split(': ') ?? []
  return {
    ...toStatus(row),
    id,
    state: final,
    hash,
    mined,
    error: error === null ? null : { code, message: words.join(': ') },
  }
}

export function toJournalRow({ row, digest }: BatchRow, id: string): JournalRow {
  return { row, digest, id, state: null, hash: null, error: null }
}

export function toFinalRow({ row, digest, id, state, hash, error }: RowStatus): JournalRow {
  return { row, digest, id: id ?? '', state, hash, error: error === null ? null : `${error.code}: ${error.message}` }
}
