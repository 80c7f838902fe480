import { expect, test } from 'vitest'
import { findCronTime } from './cron-times.ts'

const NINE = Date.UTC(2030, 0, 7, 9)
const at = (ms: number) => ({ height: 1_000, timestamp: ms / 1_000 })
const MINUTE = 60_000

test('a time becomes a height by the block time, rounded up', () => {
  const found = findCronTime('0 9 * * *', at(NINE - 10 * MINUTE), 0, 7_000)
  expect(found).toEqual({ type: 'cron', line: '0 9 * * *', timeMs: NINE, dueHeight: 1_000 + 86 })
})

test('a block that came early for its time leads to the next time, not to the same again', () => {
  const early = findCronTime('0 9 * * *', at(NINE - MINUTE), NINE, 60_000)
  expect(early).toMatchObject({ timeMs: NINE + 24 * 60 * MINUTE, dueHeight: 1_000 + 24 * 60 + 1 })
})

test('times that have passed are not made up', () => {
  const late = findCronTime('0 * * * *', at(NINE + 150 * MINUTE), NINE, 60_000)
  expect(late).toMatchObject({ timeMs: NINE + 180 * MINUTE, dueHeight: 1_030 })
})

test('a line that nobody can read, or that names no time, is refused', () => {
  expect(findCronTime('61 * * * *', at(NINE), 0, 1_000)).toMatchObject({ type: 'invalid' })
  expect(findCronTime('0 0 30 2 *', at(NINE), 0, 1_000)).toEqual({ type: 'invalid', message: 'no time matches it' })
})
