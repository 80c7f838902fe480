import { expect, test } from 'vitest'
import { createTimeSeries } from './time-series.ts'

const NOW = 10_000_000

test('a rate is per second, zero where nothing happened, unknown before the first', () => {
  const series = createTimeSeries('rate')
  series.add(NOW - 7_000, 1)
  for (let count = 0; count < 6; count++) series.add(NOW - 1_000, 1)
  expect(series.read(NOW, 10_000, 5)).toEqual([null, 0.5, 0, 0, 3])
})

test('a mean is of what was seen, and unknown where nothing was', () => {
  const series = createTimeSeries('mean')
  series.add(NOW - 4_500, 10)
  series.add(NOW - 4_200, 30)
  series.add(NOW, 7)
  expect(series.read(NOW, 6_000, 6)).toEqual([20, null, null, null, null, 7])
})

test('an hour is kept; what is older goes, and what comes too late is dropped', () => {
  const series = createTimeSeries('rate')
  series.add(NOW, 1)
  series.add(NOW + 3_600_000, 5)
  series.add(NOW, 1)
  expect(series.read(NOW + 3_600_000, 1_000, 1)).toEqual([5])
  expect(series.read(NOW, 1_000, 1)).toEqual([0])
})
