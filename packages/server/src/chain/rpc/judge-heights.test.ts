import { expect, test } from 'vitest'
import { type ClaimStatus, judgeHeights } from './judge-heights.ts'

const judge = (...readings: readonly (readonly [number, ClaimStatus?])[]) =>
  judgeHeights(
    readings.map(([height, claim = 'unknown']) => ({ height, claim })),
    3,
  )

test('one node alone is believed', () => {
  expect(judge([17])).toEqual({ plausible: 17, toShow: null })
  expect(judge()).toBeNull()
})

test('of nodes that are near each other the highest counts', () => {
  expect(judge([100], [103], [101])).toEqual({ plausible: 103, toShow: null })
})

test('an outlying height counts only once its block was shown', () => {
  expect(judge([100], [110])).toEqual({ plausible: 100, toShow: 1 })
  expect(judge([100], [110, 'shown'])).toEqual({ plausible: 110, toShow: null })
})

test('a height that could not be shown counts for nothing', () => {
  expect(judge([100], [1_000_000, 'refuted'])).toEqual({ plausible: 100, toShow: null })
  expect(judge([100], [1_000_000, 'refuted'], [110])).toEqual({ plausible: 100, toShow: 2 })
  expect(judge([1_000, 'refuted'], [5_000, 'refuted'])).toEqual({ plausible: 1_000, toShow: null })
})

test('two that agree need not show anything to a third', () => {
  expect(judge([110], [111], [90])).toEqual({ plausible: 111, toShow: null })
})
