import { expect, test } from 'vitest'
import { spellCount, spellDuration, spellTime } from './spell-time.ts'

test.each([
  [-5, '0 s'],
  [999, '0 s'],
  [119_999, '119 s'],
  [120_000, '2 min'],
  [7_199_999, '119 min'],
  [7_200_000, '2 h'],
  [172_799_999, '47 h'],
  [172_800_000, '2 days'],
])('%i ms is %s', (ms, words) => {
  expect(spellDuration(ms)).toBe(words)
})

test('a time is ISO 8601 in UTC', () => {
  expect(spellTime(Date.UTC(2030, 0, 1, 12))).toBe('2030-01-01T12:00:00.000Z')
})

test('one is singular, everything else plural', () => {
  expect([0, 1, 2].map((count) => spellCount(count, 'block'))).toEqual(['0 blocks', '1 block', '2 blocks'])
  expect(spellCount(2, 'try', 'tries')).toBe('2 tries')
})
