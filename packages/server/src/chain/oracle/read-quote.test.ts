import { expect, test } from 'vitest'
import { BadQuote, readQuote } from './read-quote.ts'

const FIELDS = { maxFee: ['fast', 'maxFee'], priorityFee: ['tips', '0'] }
const read = (maxFee: unknown, unit: 'gwei' | 'wei' = 'gwei') =>
  readQuote(JSON.stringify({ fast: { maxFee }, tips: ['1'] }), FIELDS, unit).maxFeePerGas

test.each([
  [21, 'gwei', 21_000_000_000n],
  [0.5, 'gwei', 500_000_000n],
  ['12.3456789019', 'gwei', 12_345_678_901n],
  [' 7 ', 'gwei', 7_000_000_000n],
  [0, 'gwei', 0n],
  ['21000000000', 'wei', 21_000_000_000n],
  ['0x4e3b29200', 'wei', 21_000_000_000n],
] as const)('%j %s', (said, unit, wei) => {
  expect(read(said, unit)).toBe(wei)
})

test.each([
  [-1],
  [1e30],
  [1e-9],
  ['1e3'],
  ['NaN'],
  ['Infinity'],
  [''],
  [null],
  [true],
  [[21]],
  [{}],
  ['0x12'],
  ['1,5'],
  ['9'.repeat(31)],
])('%j is no price in gwei', (said) => {
  expect(() => read(said)).toThrow(BadQuote)
})

test('half a wei is no price', () => {
  expect(() => read('1.5', 'wei')).toThrow(BadQuote)
})

test.each([
  ['<html>busy</html>', 'not JSON'],
  ['null', 'no fast.maxFee'],
  ['{"fast":{}}', 'no fast.maxFee'],
  ['{"fast":"x"}', 'no fast.maxFee'],
  ['{"fast":{"maxFee":1},"tips":[]}', 'no tips.0'],
])('%s: %s', (body, reason) => {
  expect(() => readQuote(body, FIELDS, 'gwei')).toThrow(reason)
})

test('fields that every object inherits are no prices', () => {
  expect(() => readQuote('{}', { maxFee: ['constructor', 'length'], priorityFee: null }, 'gwei')).toThrow(BadQuote)
})
