import { describe, expect, test } from 'vitest'
import type { Fees } from '../fees/fees.ts'
import { isProvenInvalid, leastGas } from './prove-invalid.ts'

const TO = `0x${'b2'.repeat(20)}` as const
const FEES: Fees = { type: 'eip1559', maxFeePerGas: 2n, maxPriorityFeePerGas: 1n }

describe('the least gas', () => {
  test.each([
    ['an empty transfer', { to: TO, data: '0x' }, 21_000n],
    ['zero bytes', { to: TO, data: '0x0000' }, 21_008n],
    ['other bytes', { to: TO, data: '0x01f0' }, 21_032n],
    ['a byte with one zero digit', { to: TO, data: '0x10' }, 21_016n],
    ['a new contract', { to: null, data: '0x60' }, 53_016n],
  ] as const)('of %s', (_, intent, gas) => {
    expect(leastGas(intent)).toBe(gas)
  })
})

test('too little gas is proven by our own count, one unit decides', () => {
  const intent = { to: TO, data: '0x01' } as const
  expect(isProvenInvalid('gas_too_low', { gasLimit: 21_015n, fees: FEES }, intent)).toBe(true)
  expect(isProvenInvalid('gas_too_low', { gasLimit: 21_016n, fees: FEES }, intent)).toBe(false)
})

test('a tip above the whole price is proven, and nothing else of the fees', () => {
  const intent = { to: TO, data: '0x' } as const
  const prove = (fees: Fees) => isProvenInvalid('fee_fields', { gasLimit: 21_000n, fees }, intent)
  expect(prove({ type: 'eip1559', maxFeePerGas: 1n, maxPriorityFeePerGas: 2n })).toBe(true)
  expect(prove(FEES)).toBe(false)
  expect(prove({ type: 'legacy', gasPrice: 1n })).toBe(false)
})

test("a node's word on our own signature proves nothing", () => {
  expect(isProvenInvalid('malformed', { gasLimit: 1n, fees: FEES }, { to: TO, data: '0x' })).toBe(false)
})
