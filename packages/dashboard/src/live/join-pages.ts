/** Pages of a history that were read at different times, as one. */
import type { HistoryPage } from '../api/api-client.ts'

/** Entries that are in both are shown as they were read last: their counts may have grown. */
export function joinPages(before: HistoryPage | null, newest: HistoryPage): HistoryPage {
  if (before === null) return newest
  const first = newest.entries[0]?.eventId ?? Number.POSITIVE_INFINITY
  const older = before.entries.filter(({ eventId }) => eventId < first)
  return { entries: [...older, ...newest.entries], earlier: before.earlier }
}
