import { expect, test } from 'vitest'
import type { LaneResource, TransactionResource } from '../api/api-resources.ts'
import { formNonceRow, MAX_CELLS } from './nonce-cells.ts'
import { LANE, MINED_TX, SENT_TX } from './sample-resources.suite.ts'

const tx = (nonce: number, more: Partial<TransactionResource> = {}): TransactionResource => ({
  ...SENT_TX,
  id: `tx-${nonce}`,
  nonce,
  ...more,
})

function lane(more: Partial<LaneResource>): LaneResource {
  return { ...LANE, chain: { latest: 10, pending: 10, drift: 0, at: LANE.createdAt }, nextNonce: 10, ...more }
}

const kinds = (...given: Parameters<typeof formNonceRow>) =>
  formNonceRow(...given).cells.map(({ nonce, kind }) => `${nonce} ${kind}`)

test('an idle lane shows its last nonces and the next one', () => {
  expect(kinds(lane({}), [], [])).toEqual(['7 done', '8 done', '9 done', '10 next'])
})

test('what is under way is shown by where it is', () => {
  const flight = [
    tx(10, { subState: 'mined', inclusion: MINED_TX.inclusion }),
    tx(11, { state: 'STUCK', subState: 'no_inclusion' }),
    tx(12),
    tx(13, { state: 'ALLOCATED', subState: 'signed' }),
  ]
  const cells = kinds(lane({ nextNonce: 14, queued: 2 }), flight, [])
  expect(cells.slice(3)).toEqual(['10 mined', '11 stuck', '12 sent', '13 signed', '14 queued', '15 queued'])
})

test('a reserved nonce says whose it is; a gap is one that nobody has', () => {
  const reserved = { nonce: 11, reservation: null }
  const row = formNonceRow(lane({ nextNonce: 13, free: 1 }), [tx(12)], [reserved])
  expect(row.cells.slice(3).map(({ kind }) => kind)).toEqual(['gap', 'reserved', 'sent', 'next'])
  expect(row.cells[4]?.text).toBe('held by another tenant')
})

test('a nonce that was given back, with nothing above it, is free and no gap', () => {
  expect(kinds(lane({ nextNonce: 11, free: 1 }), [], []).slice(3)).toEqual(['10 free', '11 next'])
})

test('a nonce that became final since the chain was last asked is no gap', () => {
  expect(kinds(lane({ nextNonce: 12 }), [], [])).toEqual([
    '7 done',
    '8 done',
    '9 done',
    '10 done',
    '11 done',
    '12 next',
  ])
})

test('a long row is cut at its old end, and says how much', () => {
  const flight = Array.from({ length: 500 }, (_, index) => tx(10 + index))
  const row = formNonceRow(lane({ nextNonce: 510 }), flight, [])
  expect(row.cells).toHaveLength(MAX_CELLS)
  expect(row.cells.at(-1)?.nonce).toBe(510)
  expect(row.hidden).toBe(511 - MAX_CELLS - 7)
})

test('a lane that has never sent starts at zero', () => {
  expect(kinds({ ...LANE, nextNonce: null, chain: null }, [], [])).toEqual(['0 next'])
})
