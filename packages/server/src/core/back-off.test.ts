import { expect, test } from 'vitest'
import { backOff, spreadPause } from './back-off.ts'

const PAUSES = { first: 100, max: 1_000 }

test('each pause is twice the one before, up to the maximum', () => {
  expect([1, 2, 3, 4, 5, 6].map((failures) => backOff(failures, PAUSES))).toEqual([100, 200, 400, 800, 1_000, 1_000])
  expect(backOff(1_000_000, PAUSES)).toBe(1_000)
})

test('without a failure it is the first pause', () => {
  expect(backOff(0, PAUSES)).toBe(100)
})

test('another factor grows slower', () => {
  expect(backOff(3, { ...PAUSES, factor: 1.5 })).toBe(225)
})

test('jitter removes up to half', () => {
  expect([0, 0.5, 1].map((chance) => spreadPause(100, chance))).toEqual([50, 75, 100])
})
