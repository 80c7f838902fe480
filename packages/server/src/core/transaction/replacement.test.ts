import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { FeeMarket, Fees } from '../fees/fees.ts'
import { isPriceTooLow, planReplacement } from './replacement.ts'

const GWEI = 1_000_000_000n
const anyWei = fc.bigInt({ min: 0n, max: 10n ** 15n })
const anyMarket: fc.Arbitrary<FeeMarket> = fc
  .tuple(fc.option(anyWei), anyWei, anyWei, anyWei, anyWei)
  .map(([baseFeePerGas, gasPrice, slow, standard, fast]) => ({
    baseFeePerGas,
    gasPrice,
    priorityFeePerGas: { slow, standard, fast },
  }))
const anyFees: fc.Arbitrary<Fees> = fc.oneof(
  anyWei.map((gasPrice): Fees => ({ type: 'legacy', gasPrice })),
  fc
    .tuple(anyWei, anyWei)
    .map(([tip, room]): Fees => ({ type: 'eip1559', maxPriorityFeePerGas: tip, maxFeePerGas: tip + room })),
)

const prices = (fees: Fees) =>
  fees.type === 'legacy' ? [fees.gasPrice] : [fees.maxFeePerGas, fees.maxPriorityFeePerGas]

function market(base: bigint, tip = GWEI): FeeMarket {
  return { baseFeePerGas: base, gasPrice: base + tip, priorityFeePerGas: { slow: tip, standard: tip, fast: tip } }
}

describe('a replacement', () => {
  test('outbids the last attempt by an eighth, rounded up, on every field; never passes the cap; keeps its kind', () => {
    fc.assert(
      fc.property(anyFees, anyMarket, fc.option(anyWei), (last, now, capWei) => {
        const plan = planReplacement(last, now, { speed: 'standard', capWei })
        if (plan.type === 'above_cap') {
          expect(plan.neededWei > plan.capWei).toBe(true)
          return
        }
        expect(plan.fees.type).toBe(last.type)
        const [before, after] = [prices(last), prices(plan.fees)]
        before.forEach((wei, index) => {
          const offered = after[index] ?? 0n
          expect(offered * 1_000n >= wei * 1_125n).toBe(true)
          expect(offered > wei).toBe(true)
          if (capWei !== null) expect(offered <= capWei).toBe(true)
        })
        if (plan.fees.type === 'eip1559') expect(plan.fees.maxPriorityFeePerGas <= plan.fees.maxFeePerGas).toBe(true)
      }),
    )
  })

  test('offers the market where that is more, up to the cap', () => {
    const last: Fees = { type: 'eip1559', maxFeePerGas: 20n * GWEI, maxPriorityFeePerGas: GWEI }
    expect(planReplacement(last, market(100n * GWEI), { speed: 'fast', capWei: null })).toEqual({
      type: 'replace',
      fees: { type: 'eip1559', maxFeePerGas: 200n * GWEI + 1_125_000_000n, maxPriorityFeePerGas: 1_125_000_000n },
    })
    expect(planReplacement(last, market(100n * GWEI), { speed: 'fast', capWei: 30n * GWEI })).toMatchObject({
      fees: { maxFeePerGas: 30n * GWEI },
    })
    expect(planReplacement(last, market(100n * GWEI), { speed: 'fast', capWei: 22n * GWEI })).toEqual({
      type: 'above_cap',
      neededWei: 22_500_000_000n,
      capWei: 22n * GWEI,
    })
  })
})

test('the price is the cause only where the next block would not take it', () => {
  const last: Fees = { type: 'eip1559', maxFeePerGas: 20n * GWEI, maxPriorityFeePerGas: GWEI }
  expect(isPriceTooLow(last, market(10n * GWEI))).toBe(false)
  expect(isPriceTooLow(last, market(21n * GWEI))).toBe(true)
  expect(isPriceTooLow(last, market(19n * GWEI + 1n))).toBe(true)
  expect(isPriceTooLow(last, market(10n * GWEI, 2n * GWEI))).toBe(true)
  expect(isPriceTooLow({ type: 'legacy', gasPrice: 5n }, market(6n))).toBe(true)
  expect(isPriceTooLow({ type: 'legacy', gasPrice: 6n }, market(6n))).toBe(false)
})
