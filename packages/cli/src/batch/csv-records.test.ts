import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type CsvRecord, createCsvParser } from './csv-records.ts'

function parse(...pieces: readonly string[]): readonly CsvRecord[] {
  const parser = createCsvParser()
  return [...pieces.flatMap((piece) => parser.push(piece)), ...parser.end()]
}

test('quotes, commas, line ends, blank lines, and the line where each record begins', () => {
  expect(parse('a,b\r\n"x, ""y""\nz",2\r\n\r\n3,\n"",')).toEqual([
    { line: 1, cells: ['a', 'b'] },
    { line: 2, cells: ['x, "y"\nz', '2'] },
    { line: 5, cells: ['3', ''] },
    { line: 6, cells: ['', ''] },
  ])
})

test.each([
  ['a,"b', 1, 'not closed'],
  ['a\n"b"c,d', 2, 'behind a closing quote'],
  [`a\n"${'x'.repeat(1_100_000)}"`, 2, 'longer than a mebibyte'],
])('refuses %.12j', (text, line, message) => {
  expect(() => parse(text)).toThrow(expect.objectContaining({ line, message: expect.stringContaining(message) }))
})

test('what is written comes back, however it is cut into pieces', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r', ' ', 'é', '😀') })
  const records = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 6 })
  fc.assert(
    fc.property(records, fc.constantFrom('\n', '\r\n', '\r'), fc.array(fc.nat(40)), (rows, lineEnd, cuts) => {
      const text = rows.map((row) => row.map((one) => `"${one.replaceAll('"', '""')}"`).join(',') + lineEnd).join('')
      const pieces: string[] = []
      let rest = text
      for (const cut of cuts) {
        pieces.push(rest.slice(0, cut))
        rest = rest.slice(cut)
      }
      expect(parse(...pieces, rest).map(({ cells }) => cells)).toEqual(rows)
    }),
  )
})
