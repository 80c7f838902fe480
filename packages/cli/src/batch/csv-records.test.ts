import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type CsvRecord, readCsvRecords } from './csv-records.ts'

async function parse(...pieces: readonly string[]): Promise<readonly CsvRecord[]> {
  const records: CsvRecord[] = []
  for await (const record of readCsvRecords(pieces)) records.push(record)
  return records
}

test('quotes, commas, line ends, blank lines, and the line where each record begins', async () => {
  expect(await parse('a,b\r\n"x, ""y""\nz",2\r\n\r\n3,\n"",')).toEqual([
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
  ['a\nb"c,d', 2, 'inside a cell'],
])('refuses %.12j', async (text, line, message) => {
  await expect(parse(text)).rejects.toThrow(
    expect.objectContaining({ line, message: expect.stringContaining(message) }),
  )
})

test('good records come before the problem, and line numbers count quoted line ends', async () => {
  const records: CsvRecord[] = []
  const reading = (async () => {
    for await (const record of readCsvRecords(['"a\r\nb",1\r\n\r\n', 'c,2\r\nd,"3\n\n\n'])) records.push(record)
  })()
  await expect(reading).rejects.toThrow(expect.objectContaining({ line: 5, message: 'has a quote that is not closed' }))
  expect(records).toEqual([
    { line: 1, cells: ['a\r\nb', '1'] },
    { line: 4, cells: ['c', '2'] },
  ])
})

test('what is written is read back, however it is split into chunks', async () => {
  const cell = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r', ' ', 'é', '😀') })
  const records = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(
      records,
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.array(fc.nat(40)),
      async (rows, lineEnd, cuts) => {
        const text = rows.map((row) => row.map((one) => `"${one.replaceAll('"', '""')}"`).join(',') + lineEnd).join('')
        const pieces: string[] = []
        // A decoder of text never cuts a character in two.
        let rest = [...text]
        for (const cut of cuts) {
          pieces.push(rest.slice(0, cut).join(''))
          rest = rest.slice(cut)
        }
        expect((await parse(...pieces, rest.join(''))).map(({ cells }) => cells)).toEqual(rows)
      },
    ),
  )
})
