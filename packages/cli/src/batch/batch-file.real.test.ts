/** Batch files and journals on a real disk. */
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkByContract } from './check-by-contract.ts'
import { type JournalRow, openJournal, readJournal } from './journal.ts'
import type { BatchFormat } from './read-rows.ts'
import type { CheckRequest } from './row-request.ts'
import { type BatchInput, type BatchRow, type BatchSurvey, readBatch, surveyBatch } from './survey-batch.ts'

const FROM = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const TO = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'

let folder: string
let check: CheckRequest

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drover-batch-file-'))
  check = await checkByContract()
})
afterAll(() => rm(folder, { recursive: true }))

async function put(format: BatchFormat, text: string | Uint8Array): Promise<BatchInput> {
  const path = join(folder, `file.${format}`)
  await writeFile(path, text)
  return { path, format, defaults: { from: FROM }, check }
}

async function readAll(input: BatchInput, survey: BatchSurvey): Promise<readonly BatchRow[]> {
  const rows: BatchRow[] = []
  for await (const row of readBatch(input, survey, 'batch-x')) rows.push(row)
  return rows
}

test('rows of both formats mean the same', async () => {
  const csv = await put('csv', `\ufeffto,value,requestId\r\n${TO},1gwei,\r\n\r\n${TO},2,own-2\r\n`)
  const fromCsv = await surveyBatch(csv)
  const csvRows = await readAll(csv, fromCsv)
  const jsonl = await put('jsonl', `{"to":"${TO}","value":"1gwei"}\n\n{"to":"${TO}","value":"2","requestId":"own-2"}`)
  const jsonRows = await readAll(jsonl, await surveyBatch(jsonl))
  expect(csvRows.map(({ body }) => body)).toEqual([
    { from: FROM, to: TO, value: '1000000000', requestId: 'batch-x:1' },
    { from: FROM, to: TO, value: '2', requestId: 'own-2' },
  ])
  expect(jsonRows.map(({ body, digest }) => [body, digest])).toEqual(csvRows.map(({ body, digest }) => [body, digest]))
  expect(csvRows.map(({ row, line }) => [row, line])).toEqual([
    [1, 2],
    [2, 4],
  ])
  expect(fromCsv.valueBySigner).toEqual(new Map([[FROM, 1_000_000_002n]]))
})

test('all problems of a file are reported at once, each with its line', async () => {
  const input = await put('csv', `to,value\n${TO},1\nme,1\n${TO},1.5\n${TO}\n${TO},lots\n`)
  const { problems, problemCount } = await surveyBatch(input)
  expect(problemCount).toBe(4)
  expect(problems).toEqual([
    { line: 3, message: 'to must be 0x followed by 40 hex digits' },
    { line: 4, message: 'value must be a whole number of wei' },
    { line: 5, message: 'has 1 cells, but the header has 2' },
    { line: 6, message: expect.stringContaining('value must be wei') },
  ])
})

test.each<[BatchFormat, string | Uint8Array, number, string]>([
  ['csv', 'to,value\n', 1, 'the file has no rows'],
  ['csv', `to,to\n${TO},${TO}\n`, 1, 'has the column "to" twice'],
  ['csv', `to,vallue\n${TO},1\n${TO},2\n`, 1, 'vallue is an unknown field; did you mean value?'],
  ['csv', `${TO},1\n${TO},2\n`, 1, 'must name the columns'],
  ['csv', `to;value\n${TO};1\n`, 1, 'must name the columns'],
  ['csv', `to,,\n${TO},,\n${TO},,1\n`, 3, 'is an unknown field'],
  ['csv', `to,requestId\n${TO},a\n${TO},b\n${TO},a\n`, 4, 'requestId is the same as in line 2'],
  ['csv', `to\n"${TO}`, 2, 'a quote that is not closed'],
  ['jsonl', `{"to":"${TO}"}\n{"to":`, 2, 'is not valid JSON'],
  ['jsonl', '[1]', 1, 'must be a JSON object'],
  ['jsonl', Buffer.concat([Buffer.from(`{"to":"${TO}"}\n{"to":"`), Buffer.from([0xff, 0xfe])]), 1, 'not UTF-8'],
  ['jsonl', `{"to":"${TO}","__proto__":{"value":1}}`, 1, '__proto__ is an unknown field'],
])('%s that cannot be sent: case %#', async (format, text, line, message) => {
  const { problems } = await surveyBatch(await put(format, text))
  expect(problems).toEqual([{ line, message: expect.stringContaining(message) }])
})

test('sending stops if the file changes after it was checked', async () => {
  const input = await put('csv', `to,value\n${TO},1\n${TO},2\n`)
  const survey = await surveyBatch(input)
  await put('csv', `to,value\n${TO},1\n${TO},3\n`)
  const rows: BatchRow[] = []
  const reading = (async () => {
    for await (const row of readBatch(input, survey, 'b')) rows.push(row)
  })()
  await expect(reading).rejects.toThrow('line 3 changed')
  expect(rows.map(({ body }) => body.value)).toEqual(['1'])
})

const row = (number: number, state: string | null = null): JournalRow => ({
  row: number,
  digest: 'd',
  id: `id-${number}`,
  state,
  hash: null,
  error: null,
})

test('a journal outlives a kill in the middle of a line', async () => {
  const path = join(folder, 'journal')
  expect(await readJournal(path)).toEqual({ head: null, rows: new Map() })
  const head = { batchId: 'b' }
  const first = await openJournal(path, head, true)
  await first.add([row(1), row(2)])
  await first.close()
  await appendFile(path, '{"row":3,"dig')
  const second = await openJournal(path, head, false)
  await second.add([row(4), row(1, 'CONFIRMED')])
  await second.close()
  const journal = await readJournal(path)
  expect(journal.head).toEqual(head)
  expect([...journal.rows.values()]).toEqual([row(1, 'CONFIRMED'), row(2), row(4)])
})

test('a file that is not a journal is left alone', async () => {
  const path = join(folder, 'notes.txt')
  await writeFile(path, '{"row":1}\n')
  await expect(readJournal(path)).rejects.toThrow('is not a journal')
})
