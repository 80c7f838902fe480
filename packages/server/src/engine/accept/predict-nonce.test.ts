import { expect, test } from 'vitest'
import { predictNonce } from './predict-nonce.ts'

test.each<[string, Parameters<typeof predictNonce>[0], number | null, boolean, number]>([
  ['the cursor', { cursor: 5, recyclable: [], queued: 0 }, null, false, 5],
  ['those in line go first', { cursor: 5, recyclable: [], queued: 3 }, null, false, 8],
  ['no cursor yet: the chain tells', { cursor: null, recyclable: [], queued: 2 }, 7, false, 9],
  ['somebody else uses the key', { cursor: 5, recyclable: [], queued: 1 }, 9, true, 10],
  ['nobody else uses the key', { cursor: 5, recyclable: [], queued: 0 }, 9, false, 5],
  ['a nonce that came back', { cursor: 9, recyclable: [4, 6], queued: 0 }, 4, false, 4],
  ['the second of them', { cursor: 9, recyclable: [4, 6], queued: 1 }, 4, false, 6],
  ['past them', { cursor: 9, recyclable: [4, 6], queued: 3 }, 4, false, 10],
  ['one that the chain has used by now', { cursor: 9, recyclable: [4, 6], queued: 0 }, 5, false, 6],
])('%s', (_name, line, pending, externalUse, expected) => {
  const counts = pending === null ? null : { latest: pending, pending }
  expect(predictNonce(line, counts, externalUse)).toBe(expected)
})
