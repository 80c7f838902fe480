/** The rows of a batch file, CSV or JSON lines, one after the other: the file is never in memory as a whole. */
import { createReadStream } from 'node:fs'
import { CsvProblem, type CsvRecord, readCsvRecords } from './csv-records.ts'
import { findUnknown } from './row-request.ts'

export type BatchFormat = 'csv' | 'jsonl'

export type RawRow =
  | {
      readonly type: 'row'
      readonly row: number
      readonly line: number
      readonly fields: Readonly<Record<string, unknown>>
    }
  | { readonly type: 'problem'; readonly line: number; readonly message: string }

export interface RowSource {
  readonly path: string
  readonly format: BatchFormat
  /** Every byte of the file, in order. */
  onBytes?(bytes: Uint8Array): void
}

const MAX_LINE_LENGTH = 1_048_576

/** A problem that leaves the rest unreadable is the last thing that comes. */
export async function* readRows(source: RowSource): AsyncGenerator<RawRow, void> {
  yield* source.format === 'csv' ? readCsv(source) : readJsonLines(source)
}

async function* readText({ path, onBytes }: RowSource): AsyncGenerator<string, void> {
  // Fatal: a broken character would be sent as something that is not in the file. A byte order mark is removed.
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const bytes of createReadStream(path)) {
    if (!(bytes instanceof Uint8Array)) throw new Error('a stream without encoding gives bytes')
    onBytes?.(bytes)
    yield decoder.decode(bytes, { stream: true })
  }
  yield decoder.decode()
}

async function* readCsv(source: RowSource): AsyncGenerator<RawRow, void> {
  let header: readonly string[] | null = null
  let row = 0
  try {
    for await (const record of readCsvRecords(readText(source))) {
      if (header === null) {
        header = record.cells.map((cell) => cell.trim())
        const problems = findHeaderProblems(header)
        if (problems.length === 0) continue
        // Once, and not again with every row.
        for (const message of problems) yield { type: 'problem', line: record.line, message }
        return
      }
      row++
      yield toRow(record, header, row)
    }
  } catch (error) {
    yield toUnreadable(error, null)
  }
}

function findHeaderProblems(header: readonly string[]): readonly string[] {
  // Commas at the end of each line make columns without name, which do no harm as long as their cells are empty.
  const named = header.filter((name) => name !== '')
  const doubled = named.find((name, index) => named.indexOf(name) !== index)
  if (doubled !== undefined) return [`has the column ${JSON.stringify(doubled)} twice`]
  const unknown = named.flatMap((name) => {
    const problem = findUnknown(name)
    return problem === null ? [] : [`${name} ${problem}`]
  })
  const isHeader = unknown.length < named.length || named.length === 0
  return isHeader
    ? unknown
    : [`must name the columns, because it is the first line of a CSV file: ${unknown.join('; ')}`]
}

function toRow({ line, cells }: CsvRecord, header: readonly string[], row: number): RawRow {
  if (cells.length !== header.length) {
    return { type: 'problem', line, message: `has ${cells.length} cells, but the header has ${header.length}` }
  }
  // An empty cell is a value that is not given.
  const given = header
    .map((name, index) => [name, (cells[index] ?? '').trim()] as const)
    .filter(([, cell]) => cell !== '')
  return { type: 'row', row, line, fields: Object.fromEntries(given) }
}

async function* readJsonLines(source: RowSource): AsyncGenerator<RawRow, void> {
  let [line, row, rest] = [0, 0, '']
  try {
    for await (const text of readText(source)) {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const one of lines) {
        line++
        if (one.trim() !== '') yield parseLine(one, line, ++row)
      }
      if (rest.length > MAX_LINE_LENGTH) throw new CsvProblem(line + 1, 'is longer than 1 MiB')
    }
    if (rest.trim() !== '') yield parseLine(rest, line + 1, ++row)
  } catch (error) {
    yield toUnreadable(error, line + 1)
  }
}

function parseLine(text: string, line: number, row: number): RawRow {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return { type: 'problem', line, message: 'is not valid JSON' }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { type: 'problem', line, message: 'must be a JSON object' }
  }
  return { type: 'row', row, line, fields: { ...value } }
}

function toUnreadable(error: unknown, line: number | null): RawRow {
  if (error instanceof CsvProblem) return { type: 'problem', line: error.line, message: error.message }
  if (error instanceof TypeError && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
    return { type: 'problem', line: line ?? 1, message: 'or a later one is not UTF-8 text' }
  }
  throw error
}
