/**
 * Reads a batch file from end to end before anything of it is sent: every row is held against the contract, all
 * problems are found at once, and the file gets its identity. Of the rows only short digests are kept, by which the
 * second reading knows that the file did not change in between.
 */
import { createHash } from 'node:crypto'
import type { TransactionRequest } from '@drover/client'
import { type BatchFormat, readRows } from './read-rows.ts'
import { type CheckRequest, type RowDefaults, toRowRequest } from './row-request.ts'

export interface BatchInput {
  readonly path: string
  readonly format: BatchFormat
  readonly defaults: RowDefaults
  readonly check: CheckRequest
}

export interface BatchProblem {
  readonly line: number
  readonly message: string
}

export interface BatchSurvey {
  readonly rows: number
  /** The same bytes have the same digest, wherever the file lies. */
  readonly fileDigest: string
  /** Of each row's request, in order; without a derived request id, which is not the row's own. */
  readonly rowDigests: readonly string[]
  readonly problems: readonly BatchProblem[]
  /** More than are kept. */
  readonly problemCount: number
  /** What is sent, in wei, by signer. */
  readonly valueBySigner: ReadonlyMap<string, bigint>
}

const MAX_ROWS = 200_000
const MAX_PROBLEMS = 100

export async function surveyBatch(input: BatchInput): Promise<BatchSurvey> {
  const hash = createHash('sha256')
  const problems: BatchProblem[] = []
  const [rowDigests, lineByRequestId, valueBySigner] = [
    [] as string[],
    new Map<string, number>(),
    new Map<string, bigint>(),
  ]
  let problemCount = 0
  const addProblem = (line: number, message: string): void => {
    if (++problemCount <= MAX_PROBLEMS) problems.push({ line, message })
  }
  for await (const raw of readRows({ ...input, onBytes: (bytes) => hash.update(bytes) })) {
    if (raw.type === 'problem') {
      addProblem(raw.line, raw.message)
      continue
    }
    if (raw.row > MAX_ROWS) {
      addProblem(raw.line, `is past the limit of ${MAX_ROWS} rows; split the file`)
      break
    }
    const request = toRowRequest(raw.fields, input.defaults, input.check)
    if (request.type === 'invalid') {
      for (const { field, message } of request.problems) addProblem(raw.line, `${field} ${message}`.trim())
      continue
    }
    const { body } = request
    rowDigests.push(digestOf(body))
    const from = body.from.toLowerCase()
    valueBySigner.set(from, (valueBySigner.get(from) ?? 0n) + BigInt(body.value ?? 0))
    if (body.requestId === undefined) continue
    const key = `${body.chainId ?? ''} ${from} ${body.requestId}`
    const earlier = lineByRequestId.get(key)
    // The service would take both for one request, and pay once.
    if (earlier !== undefined) addProblem(raw.line, `requestId is the same as in line ${earlier}`)
    else lineByRequestId.set(key, raw.line)
  }
  const rows = rowDigests.length
  if (rows === 0 && problemCount === 0) addProblem(1, 'the file has no rows')
  return { rows, fileDigest: hash.digest('hex'), rowDigests, problems, problemCount, valueBySigner }
}

function digestOf(body: TransactionRequest): string {
  const sorted = Object.entries(body).sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex').slice(0, 16)
}

/** Thrown by the second reading. */
class FileChanged extends Error {
  constructor(line: number) {
    super(`line ${line} changed after the file was checked; nothing was sent from this line on`)
    this.name = 'FileChanged'
  }
}

export interface BatchRow {
  readonly row: number
  readonly line: number
  readonly digest: string
  readonly body: TransactionRequest & { readonly requestId: string }
}

/** The second reading: the rows as they are sent. One without a request id gets the batch's and its number. */
export async function* readBatch(
  input: BatchInput,
  survey: BatchSurvey,
  batchId: string,
): AsyncGenerator<BatchRow, void> {
  for await (const raw of readRows(input)) {
    const request = raw.type === 'row' ? toRowRequest(raw.fields, input.defaults, () => []) : null
    if (raw.type === 'problem' || request === null || request.type === 'invalid') throw new FileChanged(raw.line)
    const digest = digestOf(request.body)
    if (digest !== survey.rowDigests[raw.row - 1]) throw new FileChanged(raw.line)
    const requestId = request.body.requestId ?? `${batchId}:${raw.row}`
    yield { row: raw.row, line: raw.line, digest, body: { ...request.body, requestId } }
  }
}
