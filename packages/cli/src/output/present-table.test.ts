import { expect, test } from 'vitest'
import { type Column, presentTable } from './present-table.ts'
import { PLAIN, type Style } from './style.ts'

interface Row {
  readonly id: string
  readonly text: string
  readonly count: number
}

const COLUMNS: readonly Column<Row>[] = [
  { heading: 'ID', isWhole: true, cell: ({ id }) => id },
  { heading: 'TEXT', cell: ({ text }) => text },
  { heading: 'COUNT', align: 'right', cell: ({ count }) => String(count) },
  { heading: 'SPARE', isSpare: true, cell: () => 'can be done without' },
]
const ROWS = [
  { id: 'identifier-1', text: 'a text that is long enough to be cut', count: 1 },
  { id: 'identifier-2', text: 'short', count: 1_000 },
]
const wide = (width: number): Style => ({ width, paint: (_, text) => text })

test('nothing is cut unless the output is a terminal', () => {
  expect(presentTable(COLUMNS, ROWS, PLAIN)).toBe(
    [
      'ID            TEXT                                  COUNT  SPARE',
      'identifier-1  a text that is long enough to be cut      1  can be done without',
      'identifier-2  short                                  1000  can be done without',
    ].join('\n'),
  )
})

test('on a terminal the table fits: optional columns go first, then the widest is cut; ids stay whole', () => {
  const text = presentTable(COLUMNS, ROWS, wide(40))
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(40)
  expect(text).not.toContain('SPARE')
  expect(text).toContain('identifier-1  a text that is lon…      1')
})

test('text from outside cannot move the cursor', () => {
  const rows = [{ id: 'x', text: '\u001b[2Jgone\nnext', count: 1 }]
  const text = presentTable(COLUMNS, rows, PLAIN)
  expect(text).not.toContain('\u001b')
  expect(text.split('\n')).toHaveLength(2)
})
