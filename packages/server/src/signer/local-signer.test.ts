import { inspect } from 'node:util'
import { keccak256, parseTransaction, recoverTransactionAddress } from 'viem'
import { describe, expect, test } from 'vitest'
import type { Fees } from '../core/fees/fees.ts'
import { type Hex, toAddress } from '../core/hex.ts'
import type { UnsignedTransaction } from '../ports/signer.ts'
import { createLocalSigner } from './local-signer.ts'

const KEY: Hex = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const ADDRESS = toAddress('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266')
const OTHER: Hex = `0x${'42'.repeat(32)}`

const MARKET: Fees = { type: 'eip1559', maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 1n }
const LEGACY: Fees = { type: 'legacy', gasPrice: 3_000_000_000n }

const unsigned: UnsignedTransaction = {
  chainId: 31337,
  nonce: 0,
  to: '0x00000000000000000000000000000000000000aa',
  data: '0xc0ffee',
  value: 7n,
  gasLimit: 50_000n,
  fees: MARKET,
}

describe('signing', () => {
  test.each([
    ['eip1559', MARKET, unsigned.to],
    ['legacy', LEGACY, unsigned.to],
    ['a deployment', MARKET, null],
    ['a legacy deployment', LEGACY, null],
  ] as const)('%s says what was asked and recovers to the signer', async (_, fees, to) => {
    const signer = createLocalSigner([KEY])
    const { raw, hash } = await signer.sign(ADDRESS, { ...unsigned, fees, to })
    const serializedTransaction = raw as Parameters<typeof recoverTransactionAddress>[0]['serializedTransaction']
    expect(toAddress(await recoverTransactionAddress({ serializedTransaction }))).toBe(ADDRESS)
    expect(hash).toBe(keccak256(raw))
    const parsed = parseTransaction(raw)
    expect(parsed).toMatchObject({ type: fees.type, chainId: 31337, data: '0xc0ffee', value: 7n, gas: 50_000n })
    expect(parsed.nonce ?? 0).toBe(0)
    expect(parsed.to ?? null).toBe(to)
    if (fees.type === 'legacy') expect(parsed.gasPrice).toBe(fees.gasPrice)
    else expect(parsed).toMatchObject({ maxFeePerGas: fees.maxFeePerGas, maxPriorityFeePerGas: 1n })
  })

  test('again gives the same bytes, in another process too', async () => {
    const first = await createLocalSigner([KEY]).sign(ADDRESS, unsigned)
    const second = await createLocalSigner([OTHER, KEY]).sign(ADDRESS, unsigned)
    expect(second).toEqual(first)
    const changed = await createLocalSigner([KEY]).sign(ADDRESS, { ...unsigned, nonce: 1 })
    expect(changed.hash).not.toBe(first.hash)
  })

  test('for an address without a key is refused', async () => {
    await expect(createLocalSigner([OTHER]).sign(ADDRESS, unsigned)).rejects.toThrow(`no key for ${ADDRESS}`)
  })
})

describe('keys', () => {
  test('are known by their lower-case addresses, each once', () => {
    const signer = createLocalSigner([KEY, OTHER, KEY])
    expect(signer.addresses()).toHaveLength(2)
    expect(signer.addresses()[0]).toBe(ADDRESS)
  })

  test('never show in printed or serialised signers', () => {
    const signer = createLocalSigner([KEY])
    for (const text of [inspect(signer, { depth: 10, showHidden: true }), JSON.stringify(signer), String(signer)]) {
      expect(text.toLowerCase()).not.toContain(KEY.slice(2, 20))
    }
    expect(JSON.parse(JSON.stringify(signer))).toEqual({ addresses: [ADDRESS] })
  })

  test.each([
    ['too short', `0x${'ab'.repeat(31)}`],
    ['not hex', `0x${'zz'.repeat(32)}`],
    ['without prefix', 'ab'.repeat(32)],
    ['zero', `0x${'00'.repeat(32)}`],
    ['above the group order', `0x${'ff'.repeat(32)}`],
  ])('that are %s are refused by position and never echoed', (_, key) => {
    let problem: unknown
    try {
      createLocalSigner([KEY, key as Hex])
    } catch (error) {
      problem = error
    }
    expect(problem).toMatchObject({ message: expect.stringContaining('signer key 2 of 2') })
    expect(inspect(problem, { depth: 10, showHidden: true })).not.toContain(key.slice(4, 20))
  })
})
