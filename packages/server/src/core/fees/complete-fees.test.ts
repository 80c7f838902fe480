import { describe, expect, test } from 'vitest'
import { completeFees } from './complete-fees.ts'
import type { FeeMarket, WantedFees } from './fees.ts'
import { findUnmineable, isTinyPrice } from './unmineable-price.ts'

const MARKET: FeeMarket = {
  baseFeePerGas: 100n,
  gasPrice: 110n,
  priorityFeePerGas: { slow: 1n, standard: 2n, fast: 3n },
}
const wanted = (maxFeePerGas: bigint | null, maxPriorityFeePerGas: bigint | null): WantedFees => ({
  type: 'eip1559',
  maxFeePerGas,
  maxPriorityFeePerGas,
})
const complete = (fees: WantedFees, capWei: bigint | null = null, market = MARKET) =>
  completeFees(fees, market, { speed: 'standard', capWei })

describe('fees of a caller', () => {
  test('are kept as they are given', () => {
    expect(complete(wanted(5n, 4n))).toEqual(wanted(5n, 4n))
    expect(complete({ type: 'legacy', gasPrice: 7n })).toEqual({ type: 'legacy', gasPrice: 7n })
  })

  test('a lone maximum gets the usual tip, or what it has room for', () => {
    expect(complete(wanted(150n, null))).toEqual(wanted(150n, 2n))
    expect(complete(wanted(1n, null))).toEqual(wanted(1n, 1n))
  })

  test('a lone tip gets a maximum that outlasts full blocks, under the cap', () => {
    expect(complete(wanted(null, 9n))).toEqual(wanted(209n, 9n))
    expect(complete(wanted(null, 9n), 150n)).toEqual(wanted(150n, 9n))
    expect(complete(wanted(null, 9n), 5n)).toEqual(wanted(9n, 9n))
    expect(complete(wanted(null, 9n), null, { ...MARKET, baseFeePerGas: null })).toEqual(wanted(110n, 9n))
  })

  test('a type without a price gets that of the market', () => {
    expect(complete({ type: 'legacy', gasPrice: null })).toEqual({ type: 'legacy', gasPrice: 110n })
  })
})

describe('a price that can never be mined', () => {
  test.each<[WantedFees, bigint | null, boolean]>([
    [{ type: 'legacy', gasPrice: 0n }, 100n, true],
    [wanted(0n, 0n), 100n, true],
    [wanted(6n, null), 100n, true],
    [wanted(7n, 0n), 100n, false],
    [{ type: 'legacy', gasPrice: 0n }, 0n, false],
    [{ type: 'legacy', gasPrice: 0n }, null, false],
    [{ type: 'legacy', gasPrice: 2n }, 2n, false],
    [wanted(null, 0n), 100n, false],
  ])('%o at a base fee of %s: %s', (fees, baseFeePerGas, isRefused) => {
    const reason = findUnmineable(fees, { ...MARKET, baseFeePerGas })
    if (isRefused) expect(reason).toMatch(/^max fee per gas less than block base fee: .*, baseFee: 100$/)
    else expect(reason).toBeNull()
    if (isRefused) expect(isTinyPrice(fees)).toBe(true)
  })
})
