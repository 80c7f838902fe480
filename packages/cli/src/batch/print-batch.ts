/** The final output of a batch, and its exit code. */
import { formatAmount } from '@drover/server/core'
import { EXIT, type ExitCode } from '../exit-code.ts'
import type { Session } from '../service/service-session.ts'
import { listCauses, presentCauses, presentCounts } from './batch-results.ts'
import type { BatchReport } from './run-batch.ts'
import type { BatchSurvey } from './survey-batch.ts'

export function printProblems(session: Session, file: string, { problems, problemCount }: BatchSurvey): ExitCode {
  session.print({ ok: false, sent: 0, problemCount, problems }, () => `${file} has errors. Nothing was sent.`)
  if (session.json) return EXIT.usage
  for (const { line, message } of problems) session.note(`  line ${line}: ${message}`)
  if (problemCount > problems.length) session.note(`  and ${problemCount - problems.length} more`)
  return EXIT.usage
}

export function printPlan(session: Session, survey: BatchSurvey, batchId: string | null): ExitCode {
  const id = batchId ?? `batch-${survey.fileDigest.slice(0, 32)}`
  const signers = [...survey.valueBySigner].map(([address, wei]) => ({ address, value: wei.toString() }))
  session.print({ ok: true, sent: 0, batchId: id, rows: survey.rows, signers }, () =>
    [
      `${survey.rows} rows are valid. Nothing was sent. The batch id is ${id}.`,
      ...signers.map(({ address, value }) => `  ${address} would send ${formatAmount(value)}`),
    ].join('\n'),
  )
  return EXIT.ok
}

export function printReport(
  session: Session,
  { batchId, board, end, known }: BatchReport,
  out: string | undefined,
): ExitCode {
  const counts = board.counts()
  const causes = listCauses(board)
  session.print({ batchId, end, known, ...counts, causes }, () =>
    [
      presentCounts(counts),
      ...(known > 0 ? [`  ${known} were accepted in an earlier run.`] : []),
      ...presentCauses(causes),
      ...(out === undefined ? [] : [`  Results of each row: ${out}`]),
    ].join('\n'),
  )
  if (end === 'interrupted') session.note('Stopped. Run the same command again to continue. No row is sent twice.')
  if (end === 'timed_out') session.note('Timed out. Accepted rows continue. Run the same command again to follow them.')
  if (end === 'conflict') {
    session.note(
      'Stopped: the request id of a row was already used for a different transaction. Use --keep-going to send the other rows.',
    )
  }
  if (known === counts.total && end === 'done' && !session.json) {
    session.note(
      `All rows were already accepted as ${batchId}. To send them again, use another --batch-id and --journal.`,
    )
  }
  if (end === 'interrupted') return EXIT.interrupted
  if (end === 'timed_out') return EXIT.timedOut
  if (board.all().some(({ id }) => id === null)) return EXIT.refused
  return counts.failed > 0 || counts.stuck > 0 ? EXIT.transactionFailed : EXIT.ok
}
