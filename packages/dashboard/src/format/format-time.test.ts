import { expect, test } from 'vitest'
import { formatAge, formatClock, formatSpan } from './format-time.ts'

test.each([
  [-5_000, 'now'],
  [999, 'now'],
  [1_000, '1 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [3_599_999, '59 min'],
  [3_600_000, '1 h'],
  [86_400_000, '1 d'],
  [40 * 86_400_000, '40 d'],
])('an age of %d ms is %s', (ms, text) => {
  expect(formatAge(ms)).toBe(text)
})

test.each([
  [-3, '0 ms'],
  [420, '420 ms'],
  [1_000, '1 s'],
  [1_999, '1.9 s'],
  [12_345, '12 s'],
  [60_000, '1 min'],
  [185_000, '3 min 5 s'],
  [900_000, '15 min'],
  [7_260_000, '2 h 1 min'],
  [90_000_000, '1 d 1 h'],
])('a span of %d ms is %s', (ms, text) => {
  expect(formatSpan(ms)).toBe(text)
})

test('the date is shown only where it is not today', () => {
  const at = new Date(2030, 0, 5, 7, 8, 9)
  expect(formatClock(at.toISOString(), new Date(2030, 0, 5, 23))).toBe('07:08:09')
  expect(formatClock(at.toISOString(), new Date(2030, 0, 6, 1))).toBe('2030-01-05 07:08:09')
})
