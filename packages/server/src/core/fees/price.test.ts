import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { FeeCap } from './fee-cap.ts'
import { type FeeMarket, type Fees, maxPricePerGas, SPEEDS } from './fees.ts'
import { priceTransaction } from './price.ts'

const gwei = 1_000_000_000n
const market: FeeMarket = {
  baseFeePerGas: 20n * gwei,
  gasPrice: 22n * gwei,
  priorityFeePerGas: { slow: 1n * gwei, standard: 2n * gwei, fast: 5n * gwei },
}
const legacyMarket: FeeMarket = { ...market, baseFeePerGas: null }
const capped = (perGasWei: bigint): FeeCap => ({ perGasWei, feeWei: null, source: 'signer_per_gas' })
const wish = { fees: null, speed: 'standard' } as const

describe('from the market', () => {
  test.each([
    ['slow', 41n, 1n],
    ['standard', 42n, 2n],
    ['fast', 45n, 5n],
  ] as const)('%s offers twice the base fee and its own tip', (speed, max, tip) => {
    expect(priceTransaction({ fees: null, speed }, market, null)).toEqual({
      type: 'priced',
      fees: { type: 'eip1559', maxFeePerGas: max * gwei, maxPriorityFeePerGas: tip * gwei },
    })
  })

  test('takes the gas price where blocks have no base fee', () => {
    const fees = { type: 'legacy', gasPrice: 22n * gwei }
    expect(priceTransaction(wish, legacyMarket, null)).toEqual({ type: 'priced', fees })
  })

  test('the cap cuts the reserve, not the tip', () => {
    const fees = { type: 'eip1559', maxFeePerGas: 30n * gwei, maxPriorityFeePerGas: 2n * gwei }
    expect(priceTransaction(wish, market, capped(30n * gwei))).toEqual({ type: 'priced', fees })
  })

  test('a cap at exactly what the next block asks is enough; one wei less is not', () => {
    const needed = 22n * gwei
    expect(priceTransaction(wish, market, capped(needed)).type).toBe('priced')
    expect(priceTransaction(wish, legacyMarket, capped(needed)).type).toBe('priced')
    const refusal = { type: 'above_cap', neededWei: needed, cap: capped(needed - 1n) }
    expect(priceTransaction(wish, market, capped(needed - 1n))).toEqual(refusal)
    expect(priceTransaction(wish, legacyMarket, capped(needed - 1n))).toEqual(refusal)
  })
})

describe('from the caller', () => {
  const offers: readonly Fees[] = [
    { type: 'eip1559', maxFeePerGas: 9n * gwei, maxPriorityFeePerGas: 1n * gwei },
    { type: 'legacy', gasPrice: 9n * gwei },
  ]

  test.each(offers)('$type fees are taken as they are, even below the market', (fees) => {
    expect(priceTransaction({ fees, speed: 'fast' }, market, null)).toEqual({ type: 'priced', fees })
  })

  test.each(offers)('$type fees above the cap are refused, not cut', (fees) => {
    const refusal = { type: 'above_cap', neededWei: 9n * gwei, cap: capped(8n * gwei) }
    expect(priceTransaction({ fees, speed: 'slow' }, market, capped(8n * gwei))).toEqual(refusal)
  })
})

test('an offer is never above the cap, never below the next block, and never tips more than it offers', () => {
  const wei = fc.bigInt({ min: 0n, max: 10n ** 12n })
  const property = fc.property(wei, wei, wei, fc.constantFrom(...SPEEDS), (base, tip, cap, speed) => {
    const now = { ...market, baseFeePerGas: base, priorityFeePerGas: { slow: tip, standard: tip, fast: tip } }
    const price = priceTransaction({ fees: null, speed }, now, capped(cap))
    if (price.type === 'above_cap') expect(price.neededWei).toBeGreaterThan(cap)
    else {
      const offer = maxPricePerGas(price.fees)
      expect(offer).toBeLessThanOrEqual(cap)
      expect(offer).toBeGreaterThanOrEqual(base + tip)
      expect(price.fees).toMatchObject({ maxPriorityFeePerGas: tip })
    }
  })
  fc.assert(property)
})

test('an uncapped offer can still be mined after five full blocks', () => {
  const property = fc.property(fc.bigInt({ min: 1000n, max: 10n ** 12n }), (base) => {
    const price = priceTransaction(wish, { ...market, baseFeePerGas: base }, null)
    let rising = base
    for (let block = 0; block < 5; block++) rising += rising / 8n
    expect(price.type === 'priced' && maxPricePerGas(price.fees)).toBeGreaterThanOrEqual(rising + 2n * gwei)
  })
  fc.assert(property)
})
