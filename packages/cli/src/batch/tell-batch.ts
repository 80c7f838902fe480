/** What a batch has to say at its end, and the exit code that goes with it. */
import { formatAmount } from '@drover/server/core'
import { EXIT, type ExitCode } from '../exit-code.ts'
import type { Session } from '../service/service-session.ts'
import { listCauses, presentCauses, presentCounts } from './batch-results.ts'
import type { BatchReport } from './run-batch.ts'
import type { BatchSurvey } from './survey-batch.ts'

export function tellProblems(session: Session, file: string, { problems, problemCount }: BatchSurvey): ExitCode {
  session.print({ ok: false, sent: 0, problemCount, problems }, () => `${file} cannot be sent; nothing of it was.`)
  if (session.json) return EXIT.usage
  for (const { line, message } of problems) session.note(`  line ${line}: ${message}`)
  if (problemCount > problems.length) session.note(`  and ${problemCount - problems.length} more`)
  return EXIT.usage
}

export function tellPlan(session: Session, survey: BatchSurvey, batchId: string | null): ExitCode {
  const id = batchId ?? `batch-${survey.fileDigest.slice(0, 32)}`
  const signers = [...survey.valueBySigner].map(([address, wei]) => ({ address, value: wei.toString() }))
  session.print({ ok: true, sent: 0, batchId: id, rows: survey.rows, signers }, () =>
    [
      `${survey.rows} rows are in order; nothing was sent. The batch is ${id}.`,
      ...signers.map(({ address, value }) => `  ${address} would send ${formatAmount(value)}`),
    ].join('\n'),
  )
  return EXIT.ok
}

export function tellReport(
  session: Session,
  { batchId, board, end, known }: BatchReport,
  out: string | undefined,
): ExitCode {
  const counts = board.counts()
  const causes = listCauses(board)
  session.print({ batchId, end, known, ...counts, causes }, () =>
    [
      presentCounts(counts),
      ...(known > 0 ? [`  ${known} were accepted before this run.`] : []),
      ...presentCauses(causes),
      ...(out === undefined ? [] : [`  What became of each row: ${out}`]),
    ].join('\n'),
  )
  if (end === 'interrupted') session.note('Stopped. Run the same command again to go on; no row is sent twice.')
  if (end === 'timed_out')
    session.note('Not done in time. What was accepted goes on; run the same command again to see it.')
  if (end === 'conflict') {
    session.note('A row has a request id that was used for something else, so no more was sent; --keep-going goes on.')
  }
  if (known === counts.total && end === 'done' && !session.json) {
    session.note(
      `All rows had been accepted as ${batchId} before. Another --batch-id (and --journal) sends them again.`,
    )
  }
  if (end === 'interrupted') return EXIT.interrupted
  if (end === 'timed_out') return EXIT.timedOut
  if (board.all().some(({ id }) => id === null)) return EXIT.refused
  return counts.failed > 0 || counts.stuck > 0 ? EXIT.transactionFailed : EXIT.ok
}
