import { expect, test } from 'vitest'
import { parseAmount } from '../amount.ts'
import { limitOf } from './fee-limit.ts'

const GWEI = 10n ** 9n

test.each([
  [{ perGasWei: 1_000n, feeWei: null, source: 'signer_per_gas' }, 11n * GWEI, '22gwei'],
  [{ perGasWei: 1_000n, feeWei: null, source: 'signer_per_gas' }, 1_000_000_007n, '2.1gwei'],
  [{ perGasWei: 1n, feeWei: null, source: 'request' }, 7n, '14'],
  [{ perGasWei: GWEI, feeWei: 100_000n * GWEI, source: 'signer' }, 11n * GWEI, '0.0022ether'],
  [{ perGasWei: 1n, feeWei: 100_000n, source: 'chain' }, 11n, '2200000'],
] as const)('%o, asked %s: %s is enough', (cap, neededWei, enough) => {
  const limit = limitOf(cap, neededWei, 100_000n)
  expect(limit).toEqual({ source: cap.source, perGas: cap.perGasWei.toString(), enough })
  const wei = parseAmount(limit.enough)
  expect(wei).toBeGreaterThanOrEqual(2n * neededWei * (cap.feeWei === null ? 1n : 100_000n))
})
