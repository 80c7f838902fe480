/** `drover batch FILE`: sends thousands of transactions from a file, resumable, each carried out once. */
import { stat } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import type { ExitCode } from '../exit-code.ts'
import { addServiceCommand } from '../service/service-command.ts'
import { type Session, UsageError } from '../service/service-session.ts'
import { addBatchOptions, type BatchOptions, toDefaults } from './batch-options.ts'
import { writeResults } from './batch-results.ts'
import { checkByContract } from './check-by-contract.ts'
import { printPlan, printProblems, printReport } from './print-batch.ts'
import type { BatchFormat } from './read-rows.ts'
import { type BatchRequest, runBatch } from './run-batch.ts'
import { type BatchInput, type BatchSurvey, surveyBatch } from './survey-batch.ts'

const MAX_OUTAGE_MS = 5 * 60_000
const BATCH_ID = /^[\x21-\x7e]{1,150}$/

export function addBatchCommand(program: Command, context: CommandContext): void {
  addServiceCommand(program, context, {
    name: 'batch <file>',
    description: 'send each row of a CSV or JSON Lines file exactly once; safe to run again',
    examples: [
      'drover batch payouts.csv --from 0xf39F… --dry-run',
      'drover batch payouts.csv --from 0xf39F… --out results.csv',
      'drover batch airdrop.csv --from 0xf39F… --to 0xA0b8… --function "transfer(address,uint256)"',
      'drover batch calls.jsonl --batch-id 2030-01 --wait accepted --json',
    ],
    configure: addBatchOptions,
    run: (session, command) => batch(session, command.args[0] ?? '', command.opts<BatchOptions>()),
  })
}

async function batch(session: Session, file: string, options: BatchOptions): Promise<ExitCode> {
  const input = await openInput(session, file, options)
  if (options.batchId !== undefined && !BATCH_ID.test(options.batchId)) {
    throw new UsageError('--batch-id must be 1 to 150 printable characters without spaces')
  }
  const survey = await surveyBatch(input)
  if (survey.problemCount > 0) return printProblems(session, file, survey)
  if (options.dryRun === true) return printPlan(session, survey, options.batchId ?? null)
  const report = await runBatch(session, toBatchRequest(session.terminal.folder, input, survey, options))
  if (options.out !== undefined) await writeResults(resolve(session.terminal.folder, options.out), report.board.all())
  return printReport(session, report, options.out)
}

async function openInput({ terminal }: Session, file: string, options: BatchOptions): Promise<BatchInput> {
  const path = resolve(terminal.folder, file)
  const kind = await stat(path).catch((error: unknown) => {
    throw new UsageError(`cannot read ${file}: ${error instanceof Error ? error.message : error}`)
  })
  // It is read twice, which does not work with a pipe.
  if (!kind.isFile()) throw new UsageError(`${file} is not a file`)
  const format = options.format ?? FORMATS[extname(path).toLowerCase()]
  if (format === undefined) throw new UsageError(`${file} does not end in .csv or .jsonl; set --format`)
  return { path, format, defaults: toDefaults(options), check: await checkByContract() }
}

const FORMATS: Readonly<Record<string, BatchFormat>> = { '.csv': 'csv', '.jsonl': 'jsonl', '.ndjson': 'jsonl' }

function toBatchRequest(folder: string, input: BatchInput, survey: BatchSurvey, options: BatchOptions): BatchRequest {
  return {
    input,
    survey,
    journalPath: options.journal === undefined ? `${input.path}.journal` : resolve(folder, options.journal),
    batchId: options.batchId ?? null,
    goal: options.wait,
    limits: { chunkSize: options.chunk, concurrency: options.concurrency, maxOutageMs: MAX_OUTAGE_MS },
    timeoutMs: options.timeout ?? null,
    keepsGoing: options.keepGoing === true,
  }
}
