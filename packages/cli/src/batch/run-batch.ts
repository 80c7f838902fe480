/**
 * A whole file of transactions, each of its rows carried out once however often the command is run.
 *
 * The identity of a row is its request id: its own, or that of the batch and the row's number. The batch's is a digest
 * of the file, so the same file is the same batch, wherever it is and whichever user runs it; the service does the
 * rest. The journal keeps the batch's id over a change of the file, so that a row which is not what was sent under its
 * id is found, by us or as a conflict by the service, instead of being paid again under a new one.
 */
import { Interrupted, type Session } from '../service/service-session.ts'
import { chooseBatchId, isKnownHere, refuseChangedRows } from './batch-identity.ts'
import { type Board, createBoard, type Goal, withTransaction } from './board.ts'
import { type JournalRow, type JournalWriter, openJournal, readJournal } from './journal.ts'
import { createProgressView, type ProgressView } from './progress-view.ts'
import { recall, toFinalRow, toJournalRow, toStatus } from './row-status.ts'
import { type SendLimits, type SendPorts, sendRows } from './send-rows.ts'
import { type BatchInput, type BatchRow, type BatchSurvey, readBatch } from './survey-batch.ts'
import { trackRows } from './track-rows.ts'

export interface BatchRequest {
  readonly input: BatchInput
  readonly survey: BatchSurvey
  readonly journalPath: string
  /** Null: derived from the file. */
  readonly batchId: string | null
  readonly goal: Goal
  readonly limits: SendLimits
  /** Null: as long as it takes. */
  readonly timeoutMs: number | null
  /** Continue after a row whose request id was used for something else. */
  readonly keepsGoing: boolean
}

export type BatchEnd = 'done' | 'interrupted' | 'timed_out' | 'conflict'

export interface BatchReport {
  readonly batchId: string
  readonly board: Board
  readonly end: BatchEnd
  /** Accepted before this run. */
  readonly known: number
}

export async function runBatch(session: Session, request: BatchRequest): Promise<BatchReport> {
  const { survey, journalPath, goal } = request
  const journal = await readJournal(journalPath)
  const batchId = chooseBatchId(request, journal)
  refuseChangedRows(survey, journal, journalPath)
  const board = createBoard(survey.rows, goal)
  const writer = await openJournal(journalPath, { batchId }, journal.head === null)
  const trusted = await isKnownHere(session, journal)
  if (!trusted) session.note('The service does not know the transactions in the journal, so every row is sent again.')
  const view = createProgressView(session, board, goal)
  const run = {
    session,
    request,
    batchId,
    board,
    writer,
    view,
    journal: trusted ? journal.rows : new Map<number, JournalRow>(),
  }
  try {
    const { end, known } = await drive(run)
    return { batchId, board, end, known }
  } finally {
    view.close()
    await writer.close()
  }
}

interface Run {
  readonly session: Session
  readonly request: BatchRequest
  readonly batchId: string
  readonly board: Board
  readonly writer: JournalWriter
  readonly view: ProgressView
  readonly journal: ReadonlyMap<number, JournalRow>
}

async function drive(run: Run): Promise<{ readonly end: BatchEnd; readonly known: number }> {
  const { session, request } = run
  const [conflict, broken] = [new AbortController(), new AbortController()]
  const timeout = request.timeoutMs === null ? null : AbortSignal.timeout(request.timeoutMs)
  const stop = AbortSignal.any([session.signal, broken.signal, ...(timeout === null ? [] : [timeout])])
  const tally = { known: 0, isSendingOver: false }
  const noteStop = () => session.note('Stopping after the current requests. Press Ctrl-C again to stop at once.')
  session.signal.addEventListener('abort', noteStop, { once: true })
  const parts = [send(run, stop, conflict, tally), track(run, stop, tally)].map((part) =>
    part.catch((error: unknown) => {
      // If one fails, continuing the other is pointless.
      broken.abort()
      throw error
    }),
  )
  for (const part of await Promise.allSettled(parts)) {
    if (part.status === 'rejected' && !(part.reason instanceof Interrupted)) throw part.reason
  }
  const end = endOf(session.signal.aborted, timeout?.aborted === true, conflict.signal.aborted)
  return { end, known: tally.known }
}

interface Tally {
  known: number
  isSendingOver: boolean
}

async function send(run: Run, stop: AbortSignal, conflict: AbortController, tally: Tally): Promise<void> {
  const { session, request, board, view, writer } = run
  const rows = skipKnown(run, tally)
  const ports: SendPorts = {
    drover: session.drover,
    stop: AbortSignal.any([stop, conflict.signal]),
    async onAccepted(accepted) {
      for (const { row, transaction } of accepted) board.set(withTransaction(toStatus(row), transaction))
      tally.known += accepted.filter(({ isNew }) => !isNew).length
      await writer.add(accepted.map(({ row, transaction }) => toJournalRow(row, transaction.id)))
      view.update()
    },
    onRefused(row, error) {
      board.set({ ...toStatus(row), error })
      if (error.code === 'idempotency_conflict' && !request.keepsGoing) conflict.abort()
      view.update()
    },
    onPause: () => view.update(),
  }
  await sendRows(rows, ports, request.limits)
  tally.isSendingOver = true
}

function track({ session, board, view, writer }: Run, stop: AbortSignal, tally: Tally): Promise<void> {
  return trackRows({
    drover: session.drover,
    board,
    stop,
    isSendingOver: () => tally.isSendingOver,
    onFinal: (rows) => writer.add(rows.map(toFinalRow)),
    onChange: () => view.update(),
    onOutage: (error) => session.note(`${error.code}: ${error.detail} Retrying.`),
  })
}

function endOf(isInterrupted: boolean, isLate: boolean, isConflict: boolean): BatchEnd {
  if (isInterrupted) return 'interrupted'
  if (isLate) return 'timed_out'
  return isConflict ? 'conflict' : 'done'
}

/** Rows that the journal knows to be accepted go to the board; the others are to be sent. */
async function* skipKnown(run: Run, tally: Tally): AsyncGenerator<BatchRow, void> {
  const { input, survey } = run.request
  for await (const row of readBatch(input, survey, run.batchId)) {
    const before = run.journal.get(row.row)
    if (before === undefined) {
      yield row
      continue
    }
    tally.known++
    run.board.set(recall(row, before))
  }
}
