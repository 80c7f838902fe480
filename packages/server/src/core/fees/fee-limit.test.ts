import { expect, test } from 'vitest'
import { parseAmount } from '../amount.ts'
import { isSameLimit, limitOf } from './fee-limit.ts'

const GWEI = 10n ** 9n

test.each([
  [{ perGasWei: 1_000n, feeWei: null, source: 'signer_per_gas' }, 11n * GWEI, '22gwei'],
  [{ perGasWei: 1_000n, feeWei: null, source: 'signer_per_gas' }, 1_000_000_007n, '2.1gwei'],
  [{ perGasWei: 1n, feeWei: null, source: 'request' }, 7n, '14'],
  [{ perGasWei: GWEI, feeWei: 100_000n * GWEI, source: 'signer' }, 11n * GWEI, '0.0022ether'],
  [{ perGasWei: 1n, feeWei: 100_000n, source: 'chain' }, 11n, '2200000'],
] as const)('%o, asked %s: %s is enough', (cap, neededWei, enough) => {
  const limit = limitOf(cap, neededWei, 100_000n)
  const fee = cap.feeWei === null ? {} : { fee: cap.feeWei.toString() }
  expect(limit).toEqual({ source: cap.source, perGas: cap.perGasWei.toString(), enough, ...fee })
  const wei = parseAmount(limit.enough)
  expect(wei).toBeGreaterThanOrEqual(2n * neededWei * (cap.feeWei === null ? 1n : 100_000n))
})

test('a limit on the whole transaction is the same whatever gas it needs', () => {
  const whole = (feeWei: bigint, gas: bigint) =>
    limitOf({ perGasWei: feeWei / gas, feeWei, source: 'chain' }, GWEI, gas)
  expect(isSameLimit(whole(10n ** 18n, 100_000n), whole(10n ** 18n, 100_001n))).toBe(true)
  // The same per gas, but it was raised.
  expect(isSameLimit(whole(10n ** 18n, 100_000n), whole(2n * 10n ** 18n, 200_000n))).toBe(false)
  expect(isSameLimit(whole(10n ** 18n, 100_000n), { ...whole(10n ** 18n, 100_000n), source: 'key' })).toBe(false)
})

test('a limit per gas is the same at the same price', () => {
  const perGas = (perGasWei: bigint) => limitOf({ perGasWei, feeWei: null, source: 'signer_per_gas' }, GWEI, 21_000n)
  expect(isSameLimit(perGas(7n), perGas(7n))).toBe(true)
  expect(isSameLimit(perGas(7n), perGas(8n))).toBe(false)
  expect(isSameLimit(perGas(7n), undefined)).toBe(false)
  expect(isSameLimit(undefined, undefined)).toBe(true)
})

test('a limit that an earlier release stored, without the fee, is compared per gas', () => {
  const now = limitOf({ perGasWei: 7n, feeWei: 147_000n, source: 'chain' }, GWEI, 21_000n)
  expect(isSameLimit({ source: 'chain', perGas: '7', enough: '1' }, now)).toBe(true)
  expect(isSameLimit({ source: 'chain', perGas: '8', enough: '1' }, now)).toBe(false)
})
