import { expect, test } from 'vitest'
import { raiseToFloor } from './price-floor.ts'

const tips = (slow: bigint, standard: bigint, fast: bigint) => ({ slow, standard, fast })
const market = { baseFeePerGas: 100n, gasPrice: 103n, priorityFeePerGas: tips(1n, 3n, 9n) }
const legacy = { ...market, baseFeePerGas: null, gasPrice: 7n }

test.each([
  ['none', market, null, null, market],
  ['a tip', market, null, 5n, { ...market, gasPrice: 105n, priorityFeePerGas: tips(5n, 5n, 9n) }],
  [
    'a price above the base fee',
    market,
    106n,
    null,
    { ...market, gasPrice: 106n, priorityFeePerGas: tips(6n, 6n, 9n) },
  ],
  ['a price below the base fee', market, 90n, null, market],
  ['both: each holds', market, 106n, 8n, { ...market, gasPrice: 108n, priorityFeePerGas: tips(8n, 8n, 9n) }],
  ['without base fees', legacy, 20n, null, { ...legacy, gasPrice: 20n, priorityFeePerGas: tips(20n, 20n, 20n) }],
  [
    'where gas is free',
    { ...legacy, gasPrice: 0n },
    null,
    4n,
    { ...legacy, gasPrice: 4n, priorityFeePerGas: tips(4n, 4n, 9n) },
  ],
])('a floor: %s', (_, given, minGasPriceWei, minPriorityFeeWei, expected) => {
  expect(raiseToFloor(given, { minGasPriceWei, minPriorityFeeWei })).toEqual(expected)
})
