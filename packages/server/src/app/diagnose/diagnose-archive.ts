/** Whether the archive keeps up, where nothing is deleted before it is archived: otherwise the database only grows. */
import { spellDuration } from '../../core/explain/spell-time.ts'
import { readArchiveMarks } from '../../store/postgres/archive/archive-marks.ts'
import { type Finding, ok, warn } from './finding.ts'

const LATE_MS = 7 * 86_400_000
const FIX = 'run `drover archive --to <folder>` regularly, for example with cron (docs/retention.md)'

export async function diagnoseArchive(databaseUrl: string): Promise<Finding> {
  const marks = await readArchiveMarks(databaseUrl, 'drover doctor')
  const never = marks.filter(({ archivedAt }) => archivedAt === null).map(({ kind }) => kind)
  const note = 'and keepUntilArchived keeps what is not archived'
  if (never.length > 0) return warn('archive', `${never.toSorted().join(', ')}: never archived, ${note}`, FIX)
  const oldestMs = Date.now() - Math.min(...marks.map(({ archivedAt }) => archivedAt ?? 0))
  const detail = `last run ${spellDuration(oldestMs)} ago`
  return oldestMs > LATE_MS ? warn('archive', `${detail}, ${note}`, FIX) : ok('archive', detail)
}
