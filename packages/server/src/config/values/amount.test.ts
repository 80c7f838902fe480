import { expect, test } from 'vitest'
import { amountOr } from './amount.ts'

const type = amountOr('none')

test.each([
  ['1 ether', 10n ** 18n],
  ['0.5ether', 5n * 10n ** 17n],
  ['30 gwei', 30n * 10n ** 9n],
  ['0', 0n],
  [1_000, 1_000n],
  ['none', null],
])('%s is %s', (input, value) => {
  expect(type.parse(input)).toEqual({ ok: true, value })
})

test.each(['1.5', 'much', '', -1, 0.5, null, true])('%s is refused', (input) => {
  expect(type.parse(input)).toMatchObject({ ok: false, problem: expect.stringContaining('or be "none"') })
})

test('what is shown can be given back', () => {
  for (const value of [null, 0n, 10n ** 18n, 1n]) expect(type.parse(type.print(value))).toEqual({ ok: true, value })
})
