/**
 * Rows under headings. On a terminal a table fits its width: columns that can be spared are left out, last first, then the
 * widest of the others are cut; what people copy from a table is always whole.
 */
import { type Colour, cut, type Style, toVisible } from './style.ts'

export interface Cell {
  readonly text: string
  readonly colour?: Colour
}

export interface Column<T> {
  readonly heading: string
  readonly align?: 'right'
  /** Never cut. */
  readonly isWhole?: true
  /** Left out where there is no room. */
  readonly isSpare?: true
  cell(row: T): Cell | string
}

const GAP = '  '
/** Narrower than this a column says nothing; the line is cut instead. */
const NARROWEST = 6

export function presentTable<T>(given: readonly Column<T>[], rows: readonly T[], style: Style): string {
  const columns = style.width === null ? given : spare(given, rows, style.width)
  const cells = rows.map((row) => columns.map(({ cell }) => toCell(cell(row))))
  const natural = measure(columns, rows)
  const widths = style.width === null ? natural : fit(columns, natural, style.width)
  const headings = columns.map(({ heading }): Cell => ({ text: heading, colour: 'dim' }))
  return [headings, ...cells].map((line) => presentLine(line, columns, widths, style)).join('\n')
}

function measure<T>(columns: readonly Column<T>[], rows: readonly T[]): readonly number[] {
  return columns.map(({ heading, cell }) =>
    rows.reduce((widest, row) => Math.max(widest, lengthOf(toCell(cell(row)))), heading.length),
  )
}

function spare<T>(columns: readonly Column<T>[], rows: readonly T[], width: number): readonly Column<T>[] {
  const needed = sum(measure(columns, rows)) + GAP.length * (columns.length - 1)
  const last = columns.findLastIndex(({ isSpare }) => isSpare === true)
  if (needed <= width || last < 0) return columns
  return spare(columns.toSpliced(last, 1), rows, width)
}

function presentLine<T>(
  line: readonly Cell[],
  columns: readonly Column<T>[],
  widths: readonly number[],
  style: Style,
): string {
  const parts = line.map(({ text, colour }, index) => {
    const width = widths[index] ?? 0
    const shown = cut(text, width)
    const blanks = ' '.repeat(Math.max(0, width - [...shown].length))
    const painted = colour === undefined ? shown : style.paint(colour, shown)
    if (columns[index]?.align === 'right') return blanks + painted
    // Blanks at the end of a line would only be copied along.
    return index === line.length - 1 ? painted : painted + blanks
  })
  return parts.join(GAP)
}

function fit<T>(columns: readonly Column<T>[], natural: readonly number[], width: number): readonly number[] {
  const widths = [...natural]
  const available = width - GAP.length * (widths.length - 1)
  for (let over = sum(widths) - available; over > 0; over--) {
    const cuttable = widths.map((current, index) => (columns[index]?.isWhole === true ? 0 : current))
    const widest = cuttable.indexOf(Math.max(...cuttable))
    const current = cuttable[widest] ?? 0
    if (current <= NARROWEST) break
    widths[widest] = current - 1
  }
  return widths
}

function toCell(given: Cell | string): Cell {
  return typeof given === 'string' ? { text: toVisible(given) } : { ...given, text: toVisible(given.text) }
}

function lengthOf({ text }: Cell): number {
  return [...text].length
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
