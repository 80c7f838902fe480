import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nextBasefee, TARGET_USE } from './basefee.ts'

const T = TARGET_USE.cycles

describe('R28 basefee', () => {
  test.each([
    [1_000n, 12_000_000n, 1_025n],
    [1_000n, 20_000_000n, 1_125n],
    [1_000n, 0n, 875n],
    [1_000n, 10_000_000n, 1_000n],
    [1n, 10_000_001n, 2n],
    [1n, 0n, 1n],
    [8n, 0n, 7n],
    [1_000n, 90_000_000n, 1_125n],
  ])('%i at use %i becomes %i', (basefee, used, next) => {
    expect(nextBasefee(basefee, used, T)).toBe(next)
  })
  test('rises above target, falls below, by an eighth at most, never below one', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 1n << 80n }), fc.bigInt({ min: 0n, max: 1n << 40n }), (basefee, used) => {
        const next = nextBasefee(basefee, used, T)
        if (used > T) expect(next).toBeGreaterThan(basefee)
        else expect(next).toBeLessThanOrEqual(basefee)
        expect(next).toBeGreaterThanOrEqual(1n)
        const change = next > basefee ? next - basefee : basefee - next
        expect(change <= basefee / 8n || change === 1n).toBe(true)
      }),
    )
  })
})
