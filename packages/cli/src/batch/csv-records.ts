/**
 * The records of a CSV file (RFC 4180), from pieces of its text. Blank lines are passed over. Every record knows the line that it begins
 * in, for the messages.
 */
import { type CsvErrorCode, parse } from 'csv-parse'

export interface CsvRecord {
  readonly line: number
  readonly cells: readonly string[]
}

/** What the text cannot mean. */
export class CsvProblem extends Error {
  override readonly name = 'CsvProblem'
  readonly line: number

  constructor(line: number, message: string) {
    super(message)
    this.line = line
  }
}

/** In bytes; more is a quote that was never closed, or no CSV at all. */
const MAX_RECORD_SIZE = 1_048_576

const PROBLEMS: Partial<Record<CsvErrorCode | 'INVALID_OPENING_QUOTE', string>> = {
  CSV_QUOTE_NOT_CLOSED: 'has a quote that is not closed',
  CSV_MAX_RECORD_SIZE: 'is longer than a mebibyte; is a quote not closed?',
  CSV_INVALID_CLOSING_QUOTE: 'has text behind a closing quote',
  INVALID_OPENING_QUOTE: 'has a quote inside a cell; a cell with quotes is written as "a ""quoted"" word"',
}

/** Throws CsvProblem behind the last record that could be read. */
export async function* readCsvRecords(
  pieces: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<CsvRecord, void> {
  const read: CsvRecord[] = []
  // The parser counts each half of CR LF inside quotes as a line.
  let [nextLine, countedTwice] = [1, 0]
  const parser = parse({
    relax_column_count: true,
    skip_empty_lines: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    max_record_size: MAX_RECORD_SIZE,
    on_record: (cells: readonly string[], { lines }) => {
      const inside = cells.join('')
      read.push({ line: lines - countedTwice - count(inside, /[\r\n]/g), cells })
      countedTwice += count(inside, /\r/g)
      nextLine = lines - countedTwice + 1
      return null
    },
  })
  // The writer gets the error, too.
  parser.on('error', () => undefined)
  parser.resume()
  const settle = (act: (done: (error?: Error | null) => void) => void): Promise<void> =>
    new Promise((resolve, reject) => act((error) => (error == null ? resolve() : reject(error))))
  try {
    for await (const piece of pieces) {
      await settle((done) => parser.write(piece, done))
      yield* read.splice(0)
    }
    await settle((done) => parser.end(done))
    yield* read.splice(0)
  } catch (error) {
    yield* read.splice(0)
    throw toProblem(error, nextLine)
  }
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}

function toProblem(error: unknown, line: number): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const message = Object.entries(PROBLEMS).find(([known]) => known === code)?.[1]
  return message === undefined ? error : new CsvProblem(line, message)
}
