import { expect, test } from 'vitest'
import { toBigInt } from './to-big-int.ts'

test.each(['0', '115792089237316195423570985008687907853269984665640564039457584007913129639935'])('%s', (text) => {
  expect(toBigInt(text).toString()).toBe(text)
})

test.each(['', ' ', '1.5', '-1', '0x10', '1e3', ' 1'])('%j is not an amount', (text) => {
  expect(() => toBigInt(text)).toThrow(expect.objectContaining({ code: 'invalid_argument' }))
})
