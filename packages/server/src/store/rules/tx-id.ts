/** Ids as callers may write them: a URL can contain anything, and only some of it can be in the table. */
import { AppError } from '../../core/app-error.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function isTxId(text: string): boolean {
  return UUID.test(text)
}

/** Places in the order of acceptance. */
const PLACE = /^\d{1,16}$/

/** The place that a page ended at; null for the first page. Throws for a cursor that no page ever had. */
export function readPageCursor(after: string | null): number | null {
  if (after === null) return null
  if (PLACE.test(after)) return Number(after)
  throw new AppError('invalid_request', 'This is not a cursor from a previous page.', { field: 'after' })
}
