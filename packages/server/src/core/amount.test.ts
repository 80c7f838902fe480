import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatAmount, parseAmount } from './amount.ts'

test.each([
  ['123', 123n],
  ['0x7b', 123n],
  ['0.1ether', 10n ** 17n],
  ['0.1 ether', 10n ** 17n],
  ['1ETH', 10n ** 18n],
  ['100gwei', 10n ** 11n],
  ['1.000000000gwei', 10n ** 9n],
  ['0.000000000000000001ether', 1n],
  ['9007199254740993.000000000000000001ether', 9007199254740993n * 10n ** 18n + 1n],
  ['1.0', 1n],
])('%s', (text, wei) => {
  expect(parseAmount(text)).toBe(wei)
})

test.each([
  ['', 'must be wei'],
  ['-1', 'must be wei'],
  ['1e18', 'must be wei'],
  ['1,5ether', 'must be wei'],
  ['.5ether', 'must be wei'],
  ['0x', 'must be wei'],
  ['1 finney', 'must be wei'],
  ['1.5', 'must be a whole number of wei'],
  ['0.0000000001gwei', 'has more than 9 decimals of gwei'],
  ['0.1234567890123456789ether', 'has more than 18 decimals of ether'],
  [`${2n ** 256n}`, 'does not fit in 256 bits'],
])('refuses %j', (text, problem) => {
  expect(parseAmount(text)).toEqual({ problem: expect.stringContaining(problem) })
})

test('what is shown is exact, and can be given back', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (wei) => {
      expect(parseAmount(formatAmount(wei))).toBe(wei)
    }),
  )
  expect(formatAmount('1500000000000000000')).toBe('1.5 ether')
  expect(formatAmount(1_000_000_007n)).toBe('1.000000007 gwei')
  expect(formatAmount(7n)).toBe('7 wei')
})
