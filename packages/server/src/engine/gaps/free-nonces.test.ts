import { expect, test } from 'vitest'
import { findGaps, findUsable, findUsed, firstNonce } from './free-nonces.ts'

test.each([
  ['nothing is known of the chain', null, [1, 2, 3, 5]],
  ['none is used', { latest: 1, pending: 1 }, [1, 2, 3, 5]],
  ['a block holds the first', { latest: 2, pending: 0 }, [2, 3, 5]],
  ['somebody has sent two that are in no block yet', { latest: 1, pending: 3 }, [3, 5]],
])('a free nonce is usable from both counts on, lowest first: %s', (_, counts, usable) => {
  expect(findUsable([5, 1, 3, 2], counts)).toEqual(usable)
})

test('a gap is a usable nonce below the highest one on its way', () => {
  expect(findGaps([1, 2, 3, 7], { latest: 1, pending: 2 }, 5)).toEqual([2, 3])
  expect(findGaps([1, 2, 3], null, 2)).toEqual([1])
  expect(findGaps([1, 2, 3], null, null)).toEqual([])
})

test('a nonce is used up once a final block holds it', () => {
  expect(findUsed([1, 2, 3], { latest: 9, pending: 9, final: 3 })).toEqual([1, 2])
  expect(findUsed([1, 2, 3], { latest: 9, pending: 9, final: null })).toEqual([])
})

test.each([
  ['the cursor', 4, { latest: 6, pending: 7 }, false, 4],
  ['the chain, where it is ahead and may be', 4, { latest: 6, pending: 7 }, true, 7],
  ['the cursor, where it is ahead', 9, { latest: 6, pending: 7 }, true, 9],
  ['the cursor, where the chain is not known', 4, null, true, 4],
  ['the chain, where there is no cursor', null, { latest: 6, pending: 7 }, false, 7],
  ['zero, where nothing is known', null, null, false, 0],
])('the first nonce is that of %s', (_, cursor, counts, followsChain, first) => {
  expect(firstNonce(cursor, counts, followsChain)).toBe(first)
})
