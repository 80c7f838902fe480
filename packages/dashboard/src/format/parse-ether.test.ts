import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseEther } from './parse-ether.ts'

test.each([
  ['1', 10n ** 18n],
  [' 0.25 ', 25n * 10n ** 16n],
  ['.5', 5n * 10n ** 17n],
  ['2.', 2n * 10n ** 18n],
  ['0', 0n],
  ['0.000000000000000001', 1n],
])('%j is %s wei', (text, wei) => {
  expect(parseEther(text)).toEqual({ type: 'amount', wei })
})

test.each([
  '',
  ' ',
  '.',
  '-1',
  '+1',
  '1e3',
  '0x10',
  '1,5',
  '1 000',
  '1.2.3',
  'NaN',
  '0.0000000000000000001',
  '9'.repeat(70),
])('%j is refused', (text) => {
  expect(parseEther(text).type).toBe('problem')
})

test('no wei is lost or added', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (wei) => {
      const digits = wei.toString().padStart(19, '0')
      const text = `${digits.slice(0, -18)}.${digits.slice(-18)}`
      expect(parseEther(text)).toEqual({ type: 'amount', wei })
    }),
  )
})
