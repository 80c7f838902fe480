import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyOracle, type OracleQuote } from './apply-oracle.ts'
import type { FeeMarket } from './fees.ts'
import { priceTransaction } from './price.ts'

const GWEI = 10n ** 9n
const TIPS = { slow: 1n * GWEI, standard: 3n * GWEI, fast: 6n * GWEI }
const MARKET: FeeMarket = { baseFeePerGas: 20n * GWEI, gasPrice: 23n * GWEI, priorityFeePerGas: TIPS }
const LEGACY: FeeMarket = { ...MARKET, baseFeePerGas: null }
const quote = (maxFee: bigint | null, tip: bigint | null): OracleQuote => ({
  maxFeePerGas: maxFee === null ? null : maxFee * GWEI,
  priorityFeePerGas: tip === null ? null : tip * GWEI,
})
const ANY = { fees: null, speed: 'standard' } as const

describe('an oracle near the nodes', () => {
  test('sets the tip of speed standard, and the max fee', () => {
    const verdict = applyOracle(MARKET, quote(60n, 4n))
    expect(verdict).toMatchObject({
      type: 'used',
      market: { baseFeePerGas: 20n * GWEI, priorityFeePerGas: { slow: GWEI, standard: 4n * GWEI, fast: 6n * GWEI } },
    })
    if (verdict.type !== 'used') return
    expect(priceTransaction(ANY, verdict.market, null)).toMatchObject({
      fees: { maxFeePerGas: 60n * GWEI, maxPriorityFeePerGas: 4n * GWEI },
    })
    // What a faster one needs comes first.
    const steep = { ...verdict.market, priorityFeePerGas: { ...TIPS, fast: 50n * GWEI } }
    expect(priceTransaction({ fees: null, speed: 'fast' }, steep, null)).toMatchObject({
      fees: { maxFeePerGas: 90n * GWEI, maxPriorityFeePerGas: 50n * GWEI },
    })
  })

  test('a tip alone leaves the max fee to Drover; a price alone leaves the tip to the nodes', () => {
    expect(applyOracle(MARKET, quote(null, 9n))).toMatchObject({
      market: { priorityFeePerGas: { slow: GWEI, standard: 9n * GWEI, fast: 9n * GWEI } },
    })
    expect(applyOracle(MARKET, quote(50n, null))).toMatchObject({ market: { priorityFeePerGas: TIPS } })
  })

  test('where blocks have no base fee, it sets the gas price', () => {
    expect(applyOracle(LEGACY, quote(30n, null))).toMatchObject({ market: { gasPrice: 30n * GWEI } })
    expect(applyOracle(LEGACY, quote(null, 30n))).toMatchObject({ market: { gasPrice: 30n * GWEI } })
  })
})

test.each([
  ['no price', MARKET, quote(null, null), 'no price'],
  ['a tip of 31 gwei where nodes say 3', MARKET, quote(200n, 31n), 'its tip'],
  ['no tip at all where nodes say 3 gwei', MARKET, quote(60n, 0n), 'its tip'],
  ['a max fee below base fee and tip', MARKET, quote(22n, 3n), 'is below base fee and tip'],
  ['a max fee beyond reason', MARKET, quote(500n, 3n), 'its max fee'],
  ['a gas price beyond reason', LEGACY, quote(231n, null), 'its price'],
  ['a gas price of next to nothing', LEGACY, quote(2n, null), 'its price'],
])('%s is refused', (_, market, said, reason) => {
  expect(applyOracle(market, said)).toMatchObject({ type: 'refused', reason: expect.stringContaining(reason) })
})

test('whatever it says: the tip stays within ten times that of the nodes, the base fee is theirs, and the cap holds', () => {
  const wei = fc.bigInt({ min: 0n, max: 10n ** 24n })
  const market = fc.record({ base: fc.option(wei), tip: wei }).map(({ base, tip }): FeeMarket => {
    const priorityFeePerGas = { slow: tip / 2n, standard: tip, fast: tip * 2n }
    return { baseFeePerGas: base, gasPrice: (base ?? 0n) + tip, priorityFeePerGas }
  })
  const said = fc.record({ maxFeePerGas: fc.option(wei), priorityFeePerGas: fc.option(wei) })
  fc.assert(
    fc.property(market, said, wei, (nodes, oracle, capWei) => {
      const verdict = applyOracle(nodes, oracle)
      if (verdict.type !== 'used') return
      const cap = { perGasWei: capWei, feeWei: null, source: 'chain' } as const
      const plain = priceTransaction(ANY, verdict.market, null)
      const capped = priceTransaction(ANY, verdict.market, cap)
      const offer = (price: typeof plain) =>
        price.type !== 'priced' ? 0n : price.fees.type === 'legacy' ? price.fees.gasPrice : price.fees.maxFeePerGas
      expect(offer(capped)).toBeLessThanOrEqual(capWei)
      expect(verdict.market.baseFeePerGas).toBe(nodes.baseFeePerGas)
      if (nodes.baseFeePerGas === null) return
      const tip = verdict.market.priorityFeePerGas.standard
      expect(tip <= 2n * GWEI || tip <= nodes.priorityFeePerGas.standard * 10n).toBe(true)
    }),
  )
})
