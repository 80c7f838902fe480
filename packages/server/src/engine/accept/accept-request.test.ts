import { describe, expect, test } from 'vitest'
import { plainRequest } from '../../testing/engine/plain-request.ts'
import { type AcceptRequest, digestRequest, formIntent } from './accept-request.ts'

const SIGNER = `0x${'11'.repeat(20)}` as const
const STRANGER = `0x${'99'.repeat(20)}` as const
const TARGET = `0x${'22'.repeat(20)}` as const

const REQUEST = plainRequest(SIGNER, TARGET)

describe('the digest of a request', () => {
  test('does not depend on the order of fields or on the request id', () => {
    const a = digestRequest({ ...REQUEST, metadata: { a: '1', b: '2' }, requestId: 'x' })
    const reversed = Object.fromEntries(
      Object.entries({ ...REQUEST, requestId: 'y' }).reverse(),
    ) as unknown as AcceptRequest
    expect(digestRequest({ ...reversed, metadata: { b: '2', a: '1' } })).toBe(a)
    expect(a).toMatch(/^0x[0-9a-f]{64}$/)
  })

  test('depends on everything else', () => {
    const changes: Partial<AcceptRequest>[] = [
      { chainId: 2 },
      { from: STRANGER },
      { to: null },
      { data: '0x00' },
      { value: 1n },
      { gasLimit: 1n },
      { fees: { type: 'legacy', gasPrice: 1n } },
      { speed: 'fast' },
      { priority: 1 },
      { validUntil: 1 },
      { finality: { type: 'safe' } },
      { simulate: false },
      { exactNonce: 1 },
      { accessList: [{ address: TARGET, storageKeys: [] }] },
      { fees: { type: 'eip1559', maxFeePerGas: 1n, maxPriorityFeePerGas: null } },
      { metadata: { a: '1' } },
    ]
    const digests = [{}, ...changes].map((change) => digestRequest({ ...REQUEST, ...change }))
    expect(new Set(digests).size).toBe(changes.length + 1)
  })

  test('is the same as ever: those of stored requests are compared with it', () => {
    const full: AcceptRequest = {
      ...REQUEST,
      data: '0xabcdef',
      value: 10n ** 18n,
      gasLimit: 50_000n,
      speed: 'fast',
      priority: -3,
      fees: { type: 'eip1559', maxFeePerGas: 7n, maxPriorityFeePerGas: 1n },
      validUntil: 1_700_000_000_000,
      finality: { type: 'confirmations', count: 12 },
      simulate: false,
      metadata: { b: 'ü"', a: '1' },
      accessList: [{ address: TARGET, storageKeys: [] }],
      exactNonce: 7,
    }
    expect([REQUEST, full].map(digestRequest)).toEqual([
      '0x4d0a6ba6b5a59c2fc7e79975f66d93e34fb7e940e327a6587f6656709a3ff096',
      '0xb80d75e22f6ae337d34a0e7555e97c2708416e2c62811b68dcde377bc961bfb3',
    ])
  })
})

test('an empty access list is none', () => {
  const form = (accessList: NonNullable<AcceptRequest['accessList']>) =>
    formIntent({ ...REQUEST, accessList }, { chainId: 1, signer: SIGNER }, { speed: 'standard', simulate: true })
  expect(form([])).not.toHaveProperty('accessList')
  expect(form([{ address: TARGET, storageKeys: [] }]).accessList).toHaveLength(1)
})
