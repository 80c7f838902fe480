import { expect, test } from 'vitest'
import { chooseBatchId, refuseChangedRows } from './batch-identity.ts'
import type { Journal } from './journal.ts'
import type { BatchSurvey } from './survey-batch.ts'

const survey: BatchSurvey = {
  rows: 3,
  fileDigest: 'f'.repeat(64),
  rowDigests: ['a', 'b', 'c'],
  problems: [],
  problemCount: 0,
  valueBySigner: new Map(),
}
const name = { survey, journalPath: 'x.journal', batchId: null }
const none: Journal = { head: null, rows: new Map() }

function journalOf(...digests: readonly string[]): Journal {
  const rest = { id: 'tx', state: null, hash: null, error: null }
  return {
    head: { batchId: 'first' },
    rows: new Map(digests.map((digest, index) => [index + 1, { row: index + 1, digest, ...rest }])),
  }
}

test('the id of a batch: the given one, else the earlier one, else a hash of the file', () => {
  expect(chooseBatchId(name, none)).toBe(`batch-${'f'.repeat(32)}`)
  expect(chooseBatchId(name, journalOf())).toBe('first')
  expect(chooseBatchId({ ...name, batchId: 'mine' }, none)).toBe('mine')
  expect(chooseBatchId({ ...name, batchId: 'first' }, journalOf())).toBe('first')
  expect(() => chooseBatchId({ ...name, batchId: 'mine' }, journalOf())).toThrow('belongs to batch first')
})

test('rows may be added at the end; changed, moved or removed rows are refused', () => {
  refuseChangedRows(survey, none, 'x.journal')
  refuseChangedRows(survey, journalOf('a', 'b'), 'x.journal')
  expect(() => refuseChangedRows(survey, journalOf('a', 'x', 'c'), 'x.journal')).toThrow('(row 2)')
  // One was put in at the top: without this the last one would be sent again, under a new number.
  expect(() => refuseChangedRows(survey, journalOf('b', 'c'), 'x.journal')).toThrow('(row 1, 2)')
  expect(() => refuseChangedRows(survey, journalOf('a', 'b', 'c', 'd'), 'x.journal')).toThrow('(row 4)')
})
