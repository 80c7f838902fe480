import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatAmount, formatGwei, parseAmount } from './amount.ts'

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
  expect(formatAmount('1500000000000000000')).toBe('1.5 ETH')
  expect(formatAmount(21_000_000_000_000n)).toBe('0.000021 ETH')
  expect(formatAmount(1_000_000_007n)).toBe('1.000000007 gwei')
  expect(formatAmount(7n)).toBe('7 wei')
})

test.each([
  [0n, '0 gwei'],
  [1n, '0.000000001 gwei'],
  [1_234_567n, '0.0012 gwei'],
  [12_345_678n, '0.012 gwei'],
  [999_999_999n, '1 gwei'],
  [30_000_000_000n, '30 gwei'],
  [39_682_539_682_539n, '39682.54 gwei'],
  [160_001_000_000_000n, '160001 gwei'],
])('a price of %s wei per gas is shown as %s', (wei, text) => {
  expect(formatGwei(wei)).toBe(text)
})

test('a price that would read like the one it is compared with is shown in full', () => {
  expect(formatGwei(30_000_000_001n, 30_000_000_000n)).toBe('30.000000001 gwei')
  expect(formatGwei(30_000_000_000n, 30_000_000_001n)).toBe('30 gwei')
  expect(formatGwei(30_000_000_001n, 31_000_000_000n)).toBe('30 gwei')
})
