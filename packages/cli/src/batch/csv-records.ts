/**
 * CSV (RFC 4180) from pieces of text, however they are cut: quoted cells may hold commas, quotes and line ends. Blank
 * lines are passed over. Every record knows the line that it begins in, for the messages.
 */
export interface CsvRecord {
  readonly line: number
  readonly cells: readonly string[]
}

/** What the text cannot mean. */
export class CsvProblem extends Error {
  readonly line: number

  constructor(line: number, message: string) {
    super(message)
    this.name = 'CsvProblem'
    this.line = line
  }
}

/** In characters; more is a quote that was never closed, or no CSV at all. */
const LONGEST_RECORD = 1_048_576

export interface CsvParser {
  push(text: string): readonly CsvRecord[]
  end(): readonly CsvRecord[]
}

type Place = 'cell-start' | 'plain' | 'quoted' | 'after-quote'

export function createCsvParser(): CsvParser {
  let [line, startLine, size] = [1, 1, 0]
  let place: Place = 'cell-start'
  let cells: string[] = []
  let cell = ''
  let skipsLineFeed = false

  function endCell(): void {
    cells.push(cell)
    cell = ''
    place = 'cell-start'
  }

  function endRecord(): CsvRecord | null {
    endCell()
    const record = { line: startLine, cells }
    cells = []
    size = 0
    return record.cells.length === 1 && record.cells[0] === '' ? null : record
  }

  function take(character: string): CsvRecord | null {
    if (++size > LONGEST_RECORD) throw new CsvProblem(startLine, 'is longer than a mebibyte; is a quote not closed?')
    if (place === 'quoted') {
      if (character === '"') place = 'after-quote'
      else cell += character
      return null
    }
    if (character === ',') endCell()
    else if (character === '\n' || character === '\r') return endRecord()
    else if (character === '"' && place === 'after-quote') {
      cell += '"'
      place = 'quoted'
    } else if (character === '"' && place === 'cell-start') place = 'quoted'
    else if (place === 'after-quote') throw new CsvProblem(line, 'has text behind a closing quote')
    else {
      cell += character
      place = 'plain'
    }
    return null
  }

  function push(text: string): readonly CsvRecord[] {
    const records: CsvRecord[] = []
    for (const character of text) {
      const isSecondHalf = skipsLineFeed && character === '\n'
      skipsLineFeed = character === '\r'
      if (isSecondHalf && place !== 'quoted') continue
      const isLineEnd = character === '\n' || (character === '\r' && place !== 'quoted')
      const record = take(character)
      if (isLineEnd) line++
      if (record !== null) records.push(record)
      if (size === 0) startLine = line
    }
    return records
  }

  return {
    push,
    end() {
      if (place === 'quoted') throw new CsvProblem(startLine, 'has a quote that is not closed')
      if (cells.length === 0 && cell === '' && place === 'cell-start') return []
      const record = endRecord()
      return record === null ? [] : [record]
    },
  }
}
