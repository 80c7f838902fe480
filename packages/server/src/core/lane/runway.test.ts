import { describe, expect, test } from 'vitest'
import { STABLE } from './policy.ts'
import { addSample, countRunway, estimateTxCost, isBalanceLow, type TxCost } from './runway.ts'

const GWEI = 10n ** 9n

describe('the cost of a transaction', () => {
  test('is a plain transfer at the price of the moment until one was paid for', () => {
    const guess = estimateTxCost(10n * GWEI)
    expect(guess).toEqual({ wei: 210_000n * GWEI, samples: 0 })
    expect(addSample(guess, 500n)).toEqual({ wei: 500n, samples: 1 })
    expect(addSample(null, 500n)).toEqual({ wei: 500n, samples: 1 })
  })

  test('is the average, and follows what is paid lately', () => {
    let cost: TxCost | null = null
    for (const wei of [100n, 200n, 300n]) cost = addSample(cost, wei)
    expect(cost).toEqual({ wei: 200n, samples: 3 })
    for (let count = 0; count < 200; count++) cost = addSample(cost, 10_000n)
    expect(cost?.samples).toBe(20)
    expect(cost?.wei).toBeGreaterThan(9_900n)
  })
})

describe('runway', () => {
  test('is in whole transactions', () => {
    expect(countRunway(999n, { wei: 100n, samples: 3 })).toBe(9)
    expect(countRunway(0n, { wei: 100n, samples: 3 })).toBe(0)
  })

  test('is not known without a cost, or where gas is free', () => {
    expect(countRunway(999n, null)).toBeNull()
    expect(countRunway(999n, { wei: 0n, samples: 3 })).toBeNull()
  })

  test('fits a number', () => {
    expect(countRunway(10n ** 30n, { wei: 1n, samples: 3 })).toBe(Number.MAX_SAFE_INTEGER)
  })
})

describe('low', () => {
  const txCost = { wei: 100n, samples: 5 }
  const funds = (balanceWei: bigint) => ({ balanceWei, txCost, isInUse: true })

  test('by default below 20 transactions, and well again at 30', () => {
    expect(isBalanceLow(funds(2_000n), STABLE, false)).toBe(false)
    expect(isBalanceLow(funds(1_999n), STABLE, false)).toBe(true)
    expect(isBalanceLow(funds(2_999n), STABLE, true)).toBe(true)
    expect(isBalanceLow(funds(3_000n), STABLE, true)).toBe(false)
  })

  test('below the amount that an operator set, used or not', () => {
    const policy = { ...STABLE, lowBalanceWei: 10n ** 18n, lowRunway: null }
    const idle = { balanceWei: 10n ** 18n - 1n, txCost: null, isInUse: false }
    expect(isBalanceLow(idle, policy, false)).toBe(true)
    expect(isBalanceLow({ ...idle, balanceWei: 10n ** 18n }, policy, false)).toBe(false)
  })

  test('an empty account that was never used is not', () => {
    expect(isBalanceLow({ ...funds(0n), isInUse: false }, STABLE, false)).toBe(false)
  })

  test('nor one on a chain without fees, nor one whose warning an operator turned off', () => {
    expect(isBalanceLow({ ...funds(0n), txCost: { wei: 0n, samples: 0 } }, STABLE, false)).toBe(false)
    expect(isBalanceLow(funds(0n), { ...STABLE, lowRunway: null }, false)).toBe(false)
  })
})
