/** Which batch a file is, whether its journal is of it, and whether rows were changed after they had been sent. */
import { type Session, UsageError } from '../service/service-session.ts'
import type { Journal } from './journal.ts'
import type { BatchSurvey } from './survey-batch.ts'

export interface BatchName {
  readonly survey: BatchSurvey
  readonly journalPath: string
  /** Null: derived from the file. */
  readonly batchId: string | null
}

export function chooseBatchId({ batchId, survey, journalPath }: BatchName, { head }: Journal): string {
  if (head !== null && batchId !== null && head.batchId !== batchId) {
    throw new UsageError(`${journalPath} belongs to batch ${head.batchId}. Use another --journal file`)
  }
  return batchId ?? head?.batchId ?? `batch-${survey.fileDigest.slice(0, 32)}`
}

const MAX_NAMED = 20

export function refuseChangedRows({ rowDigests }: BatchSurvey, { rows }: Journal, journalPath: string): void {
  const changed = [...rows.values()].filter(({ row, digest }) => rowDigests[row - 1] !== digest).map(({ row }) => row)
  if (changed.length === 0) return
  const named = changed.slice(0, MAX_NAMED).join(', ') + (changed.length > MAX_NAMED ? ', …' : '')
  throw new UsageError(
    `${changed.length} rows have changed since they were sent (row ${named}). Undo the changes and add new rows ` +
      `at the end. If this is a new batch, use another --batch-id and --journal (the old journal is ${journalPath})`,
  )
}

/** A recreated database does not know the ids of the old one: then the journal must not hold back any row. */
export async function isKnownHere({ drover, signal }: Session, { rows }: Journal): Promise<boolean> {
  const all = [...rows.values()]
  const some = new Set([all[0], all[Math.floor(all.length / 2)], all.at(-1)].flatMap((row) => (row ? [row.id] : [])))
  for (const id of some) if ((await drover.transactions.find(id, { signal })) === null) return false
  return true
}
