import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatAmount, formatCount, formatGasPrice, groupDigits } from './format-amount.ts'
import { parseEther } from './parse-ether.ts'

const ETHER = 10n ** 18n

describe('an amount', () => {
  test.each([
    [0n, '0', 'ETH', false],
    [1n, '1', 'wei', false],
    [999_999n, '999,999', 'wei', false],
    [10n ** 6n, '0.001', 'gwei', false],
    [10n ** 9n, '1', 'gwei', false],
    [10n ** 12n - 1n, '999.999999', 'gwei', true],
    [10n ** 12n, '0.000001', 'ETH', false],
    [ETHER, '1', 'ETH', false],
    [ETHER / 100n, '0.01', 'ETH', false],
    [1_234_567_890_123_456_789n, '1.234567', 'ETH', true],
    [ETHER + 1n, '1', 'ETH', true],
    [1_234_567n * ETHER, '1,234,567', 'ETH', false],
  ])('%s wei', (wei, text, unit, isCut) => {
    expect(formatAmount(wei, 'ETH')).toEqual({ text, unit, isCut, exact: `${groupDigits(String(wei))} wei` })
  })

  test('is never rounded up, is off by less than the last digit shown, and says when it is rounded', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 10n ** 12n, max: 2n ** 256n - 1n }), (wei) => {
        const { text, isCut } = formatAmount(wei, 'ETH')
        const shown = parseEther(text.replaceAll(',', ''))
        if (shown.type === 'problem') throw new Error(shown.message)
        expect(shown.wei <= wei).toBe(true)
        expect(wei - shown.wei < 10n ** 12n).toBe(true)
        expect(isCut).toBe(shown.wei !== wei)
      }),
    )
  })

  test('keeps every digit in the exact text', () => {
    const wei = 2n ** 256n - 1n
    expect(formatAmount(wei, 'ETH').exact.replaceAll(',', '')).toBe(`${wei} wei`)
  })
})

test('a gas price is in gwei, however small', () => {
  expect(formatGasPrice(7n)).toMatchObject({ text: '0', unit: 'gwei', exact: '7 wei', isCut: true })
  expect(formatGasPrice(1_875_000_123n)).toMatchObject({ text: '1.875', isCut: true })
})

test('counts are grouped by thousands', () => {
  expect([0, 999, 1_000, 19_234_567].map(formatCount)).toEqual(['0', '999', '1,000', '19,234,567'])
})
